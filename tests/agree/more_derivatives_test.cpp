// Derivatives of inverse dynamics, by parameters, and of second order, on the random mechanisms:
// all joints, forces and constraints.
#include <algorithm>
#include <cmath>

#include "agreement.h"
#include "mechanics/machine/system_curvature.h"
#include "support/allocation_counter.h"
#include "support/random_closed.h"
#include "system/inverse_motion.h"
#include "system/state_products.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct RandomCase {
  const Model& model;
  const std::vector<double>& parameters;
  State at;
  double kappa;
};

template <class Check>
void for_each_random_mechanism(const Check& check) {
  for (int seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("tree, seed " + std::to_string(seed));
    RandomMechanismOptions options;
    options.max_bodies = 8;
    options.bearings = options.varying_gravity = false;
    options.variables = seed % 4 == 0 ? 3 : 0;
    const Model model = make_checked_random_model(seed, options);
    const std::vector<double> parameters = parameter_values(model);
    std::string problem;
    const auto owner = make_system(model, parameters, "recursive", problem);
    ASSERT_TRUE(owner) << problem;
    const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
    const State at = system.make_state(Random(seed).uniform(0.2, 2), {}, {});
    const auto workspace = system.make_workspace();
    const double kappa =
        calc_conditioning(system.report_mass_matrix(at, *workspace).mass_matrix).kappa;
    check(RandomCase{model, parameters, at, kappa});
  }
  for (int seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("closed, seed " + std::to_string(seed));
    RandomClosedOptions options;
    options.tree.max_bodies = 8;
    options.tree.bearings = options.tree.varying_gravity = false;
    const ClosedModel closed(make_random_closed_mechanism(seed, options));
    std::string problem;
    const auto system = make_system(closed.model, closed.tree.parameters, "recursive", problem);
    ASSERT_TRUE(system) << problem;
    check(RandomCase{closed.model, closed.tree.parameters, system->initial_state(),
                     closed.calc().kappa});
  }
}

VectorXd random_vector(Random& random, Eigen::Index size) {
  VectorXd u(size);
  for (double& entry : u) entry = random.uniform(-1, 1);
  return u;
}

std::span<const double> span_of(const VectorXd& u) {
  return {u.data(), static_cast<std::size_t>(u.size())};
}
std::span<double> span_of(VectorXd& u) {
  return {u.data(), static_cast<std::size_t>(u.size())};
}

// Formulas of `recursive` against dual numbers through inverse dynamics, which `moving-frame`
// keeps. Nothing is divided by: some hundred roundings of the largest entry.
TEST(InverseDerivatives, FormulasAgreeWithDualNumbers) {
  int looked_at = 0;
  for_each_random_mechanism([&](const RandomCase& c) {
    if (c.at.x.empty()) return;
    MatrixXd by_x[2];
    VectorXd a, forces[2];
    int k = 0;
    for (const char* formulation : {"recursive", "moving-frame"}) {
      std::string problem;
      const auto system = make_system(c.model, c.parameters, formulation, problem);
      ASSERT_TRUE(system) << problem;
      const auto& inverse = dynamic_cast<const InverseMotion&>(*system);
      ASSERT_EQ(inverse.refuse_inverse(), "");
      const auto workspace = system->make_workspace();
      const MassMatrixReport report =
          dynamic_cast<const MechanicalSystem&>(*system).report_mass_matrix(c.at, *workspace);
      if (k == 0) {
        Random random(5);
        a = random_vector(random, report.bias.size());
      }
      forces[k].resize(a.size());
      by_x[k].setConstant(a.size(), static_cast<int>(c.at.x.size()), 0.5);
      inverse.joint_forces(c.at, span_of(a), span_of(forces[k]), *workspace);
      inverse.joint_force_jacobian(c.at, span_of(a), by_x[k], *workspace);
      const long before = test::allocation_count();
      inverse.joint_forces(c.at, span_of(a), span_of(forces[k]), *workspace);
      inverse.joint_force_jacobian(c.at, span_of(a), by_x[k], *workspace);
      EXPECT_EQ(test::allocation_count() - before, 0);
      ++k;
    }
    if (a.size() == 0) return;
    ++looked_at;
    EXPECT_LE((forces[0] - forces[1]).lpNorm<Eigen::Infinity>(),
              100 * eps * forces[1].lpNorm<Eigen::Infinity>());
    const double size = by_x[1].cwiseAbs().maxCoeff();
    EXPECT_LE((by_x[0] - by_x[1]).cwiseAbs().maxCoeff(), 1e3 * eps * size);
  });
  EXPECT_GE(looked_at, 60);
}

// Where accelerations come from: with those of the motion, joints of a tree need add nothing.
TEST(InverseDerivatives, UndoesForwardDynamics) {
  for (int seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomMechanismOptions options;
    options.max_bodies = 8;
    options.bearings = options.exact_friction = false;
    const Model model = make_checked_random_model(seed, options);
    std::string problem;
    const auto owner = make_system(model, parameter_values(model), "recursive", problem);
    ASSERT_TRUE(owner) << problem;
    const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
    const auto& inverse = dynamic_cast<const InverseMotion&>(*owner);
    const State at = system.make_state(0.3, {}, {});
    const auto workspace = system.make_workspace();
    const MassMatrixReport report = system.report_mass_matrix(at, *workspace);
    const auto nv = report.bias.size();
    if (nv == 0) continue;
    std::vector<double> rates(at.x.size());
    system.derivative(at, rates, *workspace);
    const VectorXd a = Eigen::Map<const VectorXd>(rates.data() + system.kinematic_size(), nv);
    VectorXd forces(nv);
    inverse.joint_forces(at, span_of(a), span_of(forces), *workspace);
    const double size = report.bias.lpNorm<Eigen::Infinity>() +
                        (report.mass_matrix.cwiseAbs() * a.cwiseAbs()).maxCoeff();
    EXPECT_LE(forces.lpNorm<Eigen::Infinity>(), 1e3 * eps * size);
  }
}

// By parameters: dual numbers through mechanisms made of them, against nested ones (core/mixed.h)
// made by themselves.
TEST(ParameterDerivatives, TwoKindsOfNumbersAgree) {
  int columns = 0;
  for_each_random_mechanism([&](const RandomCase& c) {
    std::string problem;
    const auto system = make_system(c.model, c.parameters, "recursive", problem);
    ASSERT_TRUE(system) << problem;
    std::vector<int> which;
    for (int p = 0; p < system->parameter_count() && p < 5; ++p) which.push_back(p);
    const int n = static_cast<int>(c.at.x.size());
    const std::size_t size = c.at.x.size() - system->quadratures();
    if (which.empty() || size == 0) return;
    const auto workspace = system->make_workspace();
    MatrixXd J(n, static_cast<int>(which.size()));
    system->parameter_jacobian(c.at, which, J, *workspace);
    const auto curvature = make_state_curvature(*system, c.parameters, which);
    std::vector<Mixed> x(c.at.x.begin(), c.at.x.begin() + size), rates(size);
    for (std::size_t p = 0; p < which.size(); ++p, ++columns) {
      curvature->rates(c.at, x, static_cast<int>(p), rates);
      double largest = 0, error = 0;
      for (std::size_t i = 0; i < size; ++i) {
        largest = std::max(largest, std::fabs(rates[i].w));
        error = std::max(error, std::fabs(J(i, p) - rates[i].w));
      }
      EXPECT_LE(error, 1e3 * c.kappa * eps * largest) << p;
    }
  });
  EXPECT_GE(columns, 20);
}

// g'(0) of an analytic g: central differences at h, h / 2, .. extrapolated.
template <class Function>
VectorXd differentiate_by_extrapolation(const Function& g, double h) {
  constexpr int levels = 7;
  VectorXd table[levels];
  for (int k = 0; k < levels; ++k, h /= 2) {
    table[k] = (g(h) - g(-h)) / (2 * h);
    double power = 1;
    for (int j = k - 1; j >= 0; --j) {
      power *= 4;
      table[j] = table[j + 1] + (table[j + 1] - table[j]) / (power - 1);
    }
  }
  return table[0];
}

// First order parts are those of dual numbers to rounding, u and w may change places, and the whole
// is how the product with the Jacobian changes, as far as differences tell.
TEST(SecondDerivatives, ProductsAlongTwoDirections) {
  int looked_at = 0;
  for_each_random_mechanism([&](const RandomCase& c) {
    std::string problem;
    const auto system = make_system(c.model, c.parameters, "recursive", problem);
    const auto dual = make_system(c.model, c.parameters, "moving-frame", problem);
    ASSERT_TRUE(system && dual) << problem;
    const auto& products = dynamic_cast<const StateProducts&>(*system);
    const auto workspace = system->make_workspace(), dual_workspace = dual->make_workspace();
    const auto n = static_cast<Eigen::Index>(c.at.x.size());
    const auto size = n - system->quadratures();
    if (size == 0) return;
    Random random(3);
    VectorXd u = VectorXd::Zero(n), w = u;
    u.head(size) = random_vector(random, size);
    w.head(size) = random_vector(random, size);
    const auto curvature = make_state_curvature(*system, c.parameters, {});
    std::vector<Mixed> x(size), rates(size);
    for (Eigen::Index i = 0; i < size; ++i) x[i] = Mixed(c.at.x[i], u[i], w[i], 0);
    curvature->rates(c.at, x, -1, rates);
    MatrixXd J(n, n);
    dual->jacobian(c.at, J, *dual_workspace);
    const VectorXd Ju = J * u, Jw = J * w;
    const double tolerance = 1e3 * c.kappa * eps * J.cwiseAbs().maxCoeff() * static_cast<double>(n);
    VectorXd second(size), swapped(size);
    curvature->rates(c.at, span_of(u).first(size), span_of(w).first(size), -1, span_of(second));
    curvature->rates(c.at, span_of(w).first(size), span_of(u).first(size), -1, span_of(swapped));
    for (Eigen::Index i = 0; i < size; ++i) {
      EXPECT_LE(std::fabs(rates[i].u - Ju[i]), tolerance);
      EXPECT_LE(std::fabs(rates[i].w - Jw[i]), tolerance);
    }
    const double largest = second.lpNorm<Eigen::Infinity>();
    EXPECT_LE((second - swapped).lpNorm<Eigen::Infinity>(), 1e3 * c.kappa * eps * largest);
    const auto product_at = [&](double s) {
      State near = c.at;
      for (Eigen::Index i = 0; i < size; ++i) near.x[i] += s * w[i];
      VectorXd result(n);
      products.jvp(near, span_of(u), span_of(result), *workspace);
      return VectorXd(result.head(size));
    };
    // The mode may hold near the state alone, and roundings of J u are divided by 1e-5.
    const VectorXd expected = differentiate_by_extrapolation(product_at, 2e-3);
    EXPECT_LE((second - expected).lpNorm<Eigen::Infinity>(), 1e-7 * largest + 1e5 * tolerance);
    const long before = test::allocation_count();
    curvature->rates(c.at, span_of(u).first(size), span_of(w).first(size), -1, span_of(second));
    EXPECT_EQ(test::allocation_count() - before, 0);
    ++looked_at;
  });
  EXPECT_GE(looked_at, 60);
}

}  // namespace
}  // namespace cartan::test
