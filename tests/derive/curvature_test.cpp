// Second derivatives by nested dual numbers: against differences of exact Jacobians of systems
// built anew with other values, for random mechanisms with everything in them.
#include <gtest/gtest.h>

#include <cmath>

#include "derive/parametrised.h"
#include "formulations/formulations.h"
#include "mechanics/tree/motion_curvature.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct CurvatureSum {
  double largest = 0;
  int compared = 0, constrained = 0;
};

// J u (and C u) with the state moved by s w and parameter k by s.
VectorXd moved_product(const Model& model, const State& at, const VectorXd& u, const VectorXd& w,
                       int k, double s) {
  const double base = parameter_values(model)[k];
  const auto system =
      find_formulation("recursive")->make(model, parameters_with(model, k, base + s));
  const auto workspace = system->make_workspace();
  State state = at;
  for (Eigen::Index i = 0; i < w.size(); ++i) state.x[i] += s * w[i];
  const int n = system->space().size(), rows = system->constraint_count();
  state.x.resize(n, 0.0);
  MatrixXd J(n, n), C(rows, n);
  system->jacobian(state, J, *workspace);
  system->constraint_jacobian(state, C, *workspace);
  VectorXd result(u.size() + rows);
  result << J.topLeftCorner(u.size(), u.size()) * u, C.leftCols(u.size()) * u;
  return result;
}

void check_curvature(const Model& model, Random& random, CurvatureSum& sum) {
  const std::vector<double> values = parameter_values(model);
  const auto system = find_formulation("recursive")->make(model, values);
  if (!system->assembly().problem.empty() || system->space().size() == system->quadratures())
    return;
  const State at = system->initial_state();
  const int n = system->space().size() - system->quadratures(), rows = system->constraint_count();
  VectorXd u(n), w(n), rates(n), functions(rows);
  for (int i = 0; i < n; ++i) u[i] = random.uniform(-1, 1), w[i] = random.uniform(-1, 1);
  const auto numbers = [](VectorXd& v) {
    return std::span<double>(v.data(), static_cast<std::size_t>(v.size()));
  };
  // every parameter alone, so that all that depends on it follows
  for (int k = 0; k < static_cast<int>(values.size()); k += random.integer(1, 3)) {
    const auto curvature = make_motion_curvature(model, values, {k});
    curvature->rates(at, numbers(u), numbers(w), 0, numbers(rates));
    curvature->constraints(at, numbers(u), numbers(w), 0, numbers(functions));
    VectorXd exact(n + rows);
    exact << rates, functions;
    // wide differences, and where f is strongly curved narrow ones
    double error = INFINITY, size = 0;
    for (const double h : {1e-3, 1e-4, 1e-5}) {
      const auto central = [&](double s) -> VectorXd {
        return (moved_product(model, at, u, w, k, s) - moved_product(model, at, u, w, k, -s)) /
               (2 * s);
      };
      const VectorXd expected = (4 * central(h / 2) - central(h)) / 3;
      size = std::max(1.0, expected.lpNorm<Eigen::Infinity>());
      error = (exact - expected).lpNorm<Eigen::Infinity>() / size;
      if (error < 1e-6) break;
    }
    EXPECT_LT(error, 1e-6) << model.parameters[k].name;
    sum.largest = std::max(sum.largest, size);
    ++sum.compared;
    sum.constrained += rows > 0;
  }
}

TEST(StateCurvature, IsTheChangeOfTheJacobian) {
  CurvatureSum sum;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomClosedOptions closed;
    closed.tree.max_bodies = 4;
    closed.tree.thin_bodies = false;
    closed.largest_kappa = 1e2;
    RandomMechanismOptions tree;
    tree.max_bodies = 4;
    tree.thin_bodies = false;
    ModelDescription description =
        seed % 2 ? make_random_mechanism(seed, tree) : make_random_closed_mechanism(seed, closed);
    Random random(seed);
    parametrise(description, random);
    Diagnostics problems("random");
    const std::optional<Model> model = check_model(description, problems);
    ASSERT_TRUE(model) << problems.text();
    check_curvature(*model, random, sum);
  }
  EXPECT_GT(sum.compared, 80);
  EXPECT_GT(sum.constrained, 25);
  EXPECT_GT(sum.largest, 10);
}

}  // namespace
}  // namespace cartan::test
