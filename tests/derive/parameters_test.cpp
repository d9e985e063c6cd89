// Derivatives by parameters: exact ones against differences of systems built anew with other
// values.
#include <gtest/gtest.h>

#include <cmath>

#include "derive/parametrised.h"
#include "formulations/formulations.h"
#include "support/example.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double tolerance = 3e-7;  // of a column's size: an error of 1e-6 is seen

// Central differences with one Richardson step.
template <class F>
VectorXd slope(F&& f, double at, double h) {
  const auto central = [&](double s) -> VectorXd { return (f(at + s) - f(at - s)) / (2 * s); };
  return (4 * central(h / 2) - central(h)) / 3;
}

VectorXd rates(const System& system, StateView at, int count) {
  const auto workspace = system.make_workspace();
  std::vector<double> x(at.x.begin(), at.x.end()), xdot(system.space().size());
  x.resize(system.space().size(), 0.0);  // a damping that is no longer zero adds the work
  system.derivative({at.t, x, at.mode}, xdot, *workspace);
  return Eigen::Map<const VectorXd>(xdot.data(), count);
}

std::vector<int> all_parameters(const Model& model) {
  std::vector<int> all;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) all.push_back(static_cast<int>(i));
  return all;
}

struct ParameterSum {
  double largest = 0;
  int columns = 0;
};

// The exact derivative against differences of f: wide ones, and where these do not agree (they err
// where f is strongly curved) narrow ones (which err by rounding).
template <class F>
void compare(const VectorXd& exact, F&& f, double at, double floor, ParameterSum& sum,
             const std::string& what) {
  double size = 0, error = 0;
  for (const double h : {2e-4, 2e-5}) {
    const VectorXd expected = slope(f, at, h);
    size = expected.lpNorm<Eigen::Infinity>();
    error = (exact - expected).lpNorm<Eigen::Infinity>();
    if (error <= tolerance * std::max(size, floor)) break;
  }
  EXPECT_LE(error, tolerance * std::max(size, floor)) << what;
  sum.largest = std::max(sum.largest, size);
  sum.columns += size > floor;
}

// Every parameter alone, so that all that depends on it follows.
void check_rates(const Model& model, const std::string& formulation, ParameterSum& sum) {
  SCOPED_TRACE(formulation);
  const FormulationInfo& row = *find_formulation(formulation);
  if (!row.refusal(model).empty()) return;
  const std::vector<double> values = parameter_values(model);
  const auto system = row.make(model, values);
  if (!system->assembly().problem.empty()) return;
  if (system->parameter_count() == 0) return;  // rotation-elements has no such derivatives
  const State state = system->initial_state();
  const int n = system->space().size(), m = n - system->quadratures();
  if (m == 0) return;
  const auto workspace = system->make_workspace();
  const double floor = 0.1 + 1e-3 * rates(*system, state, m).lpNorm<Eigen::Infinity>();
  for (int j : all_parameters(model)) {
    MatrixXd J(n, 1);
    system->parameter_jacobian(state, std::vector{j}, J, *workspace);
    const auto rates_at = [&](double p) {
      return rates(*row.make(model, parameters_with(model, j, p)), state, m);
    };
    compare(J.col(0).head(m), rates_at, values[j], floor, sum, model.parameters[j].name);
  }
}

TEST(ParameterDerivatives, TreesWithAllForces) {
  ParameterSum sum;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomMechanismOptions options;
    options.max_bodies = 5;
    options.thin_bodies = false;
    ModelDescription description = make_random_mechanism(seed, options);
    Random random(seed);
    parametrise(description, random);
    Diagnostics problems("random");
    const std::optional<Model> model = check_model(description, problems);
    ASSERT_TRUE(model) << problems.text();
    for (const FormulationInfo& row : formulation_table()) check_rates(*model, row.name, sum);
  }
  EXPECT_GT(sum.columns, 200);
  EXPECT_GT(sum.largest, 1);
}

std::optional<Model> closed_model(std::uint64_t seed) {
  RandomClosedOptions options;
  options.tree.max_bodies = 4;
  options.tree.thin_bodies = false;
  options.tree.exact_friction = false;
  options.max_loops = 2;
  options.planar_linkage = options.parallelogram = 0;
  options.largest_kappa = 1e3;
  ModelDescription description = make_random_closed_mechanism(seed, options);
  Random random(seed);
  parametrise(description, random);
  Diagnostics problems("random");
  std::optional<Model> model = check_model(description, problems);
  EXPECT_TRUE(model) << problems.text();
  return model;
}

TEST(ParameterDerivatives, LoopsAndConstraints) {
  ParameterSum sum;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::optional<Model> model = closed_model(seed);
    ASSERT_TRUE(model);
    for (const FormulationInfo& row : formulation_table()) check_rates(*model, row.name, sum);
  }
  EXPECT_GT(sum.columns, 100);
  EXPECT_GT(sum.largest, 1);
}

// c and its derivatives by parameters and by the numbers of x.
TEST(ParameterDerivatives, OfTheConstraintsThemselves) {
  ParameterSum sum;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::optional<Model> model = closed_model(seed);
    ASSERT_TRUE(model);
    const std::vector<double> values = parameter_values(*model);
    const FormulationInfo& row = *find_formulation("recursive");
    if (!row.refusal(*model).empty()) continue;
    const auto system = row.make(*model, values);
    if (!system->assembly().problem.empty()) continue;
    const State state = system->initial_state();
    const auto workspace = system->make_workspace();
    const int count = system->constraint_count(), n = system->space().size();
    const auto violations = [&](const MechanicalSystem& s, const std::vector<double>& x) {
      std::vector<double> positions, speeds;
      s.constraint_violations({state.t, x, state.mode}, positions, speeds, *s.make_workspace());
      positions.insert(positions.end(), speeds.begin(), speeds.end());
      return VectorXd(Eigen::Map<const VectorXd>(positions.data(), count));
    };
    MatrixXd C(count, n), C_p(count, 1);
    system->constraint_jacobian(state, C, *workspace);
    for (int i = 0; i < n - system->quadratures(); ++i) {
      const auto moved = [&](double value) {
        std::vector<double> x = state.x;
        x[i] = value;
        return violations(*system, x);
      };
      compare(C.col(i), moved, state.x[i], 0.1, sum, system->component_name(i));
    }
    for (int j : all_parameters(*model)) {
      system->constraint_parameter_jacobian(state, std::vector{j}, C_p, *workspace);
      const auto changed = [&](double p) {
        const auto other = row.make(*model, parameters_with(*model, j, p));
        std::vector<double> x = state.x;
        x.resize(other->space().size(), 0.0);
        return violations(*other, x);
      };
      compare(C_p.col(0), changed, values[j], 0.1, sum, model->parameters[j].name);
    }
  }
  EXPECT_GT(sum.columns, 100);
}

// Listed parameters are varied one by one; the others follow their formulas.
TEST(ParameterDerivatives, OfVariablesWithParametersThatDependOnOthers) {
  const test::Example e = test::load_text(R"(
name = "chain of parameters"
[parameters]
a = 0.7
b = "a^2"
c = "sin(b) + a"
[variables]
x = { initial = 1, rate = "a*x + b*y*t" }
y = { initial = 2, rate = "c*x^2 - exp(b)*y" }
)");
  ASSERT_TRUE(e) << e.problem;
  State state = e.system->initial_state();
  state.t = 0.4;
  const auto workspace = e.system->make_workspace();
  const double a = 0.7, b = a * a, x = 1, y = 2, t = 0.4;
  MatrixXd one(2, 1), all(2, 3);
  e.system->parameter_jacobian(state, std::vector{0}, one, *workspace);
  EXPECT_NEAR(one(0, 0), x + 2 * a * y * t, 1e-15);
  EXPECT_NEAR(one(1, 0), (2 * a * std::cos(b) + 1) * x * x - 2 * a * std::exp(b) * y, 1e-14);
  e.system->parameter_jacobian(state, std::vector{0, 1, 2}, all, *workspace);
  EXPECT_NEAR(all(0, 0), x, 1e-15);
  EXPECT_NEAR(all(1, 0), 0, 1e-15);
  EXPECT_NEAR(all(0, 1), y * t, 1e-15);
  EXPECT_NEAR(all(1, 1), -std::exp(b) * y, 1e-14);
  EXPECT_NEAR(all(1, 2), x * x, 1e-15);
}

}  // namespace
}  // namespace cartan::test
