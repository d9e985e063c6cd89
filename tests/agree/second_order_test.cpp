// The second-order form (inverse dynamics with constraint wrenches) against the solvers of the
// accelerations on seeded random trees and closed mechanisms: what one solves the other finds
// solved. Its matrix and the rate of the accelerations against differences.
#include <algorithm>

#include "agreement.h"
#include "support/random_closed.h"
#include "system/second_order.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::span<const double> numbers(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

// A system in a state with the solution of its dynamics.
struct Solved {
  const MechanicalSystem& system;
  const SecondOrderForm& form;
  State state;
  std::unique_ptr<Workspace> workspace;
  int nq, nv, size;
  VectorXd q, v, unknowns;
  MotionStart start;

  Solved(const MechanicalSystem& s, const State& at)
      : system(s), form(*s.second_order()), state(at), workspace(s.make_workspace()) {
    nq = form.positions().size();
    nv = form.positions().tangent_size();
    form.start(state, start, *workspace);
    q = Eigen::Map<const VectorXd>(state.x.data(), nq);
    v = Eigen::Map<const VectorXd>(state.x.data() + nq, nv);
    size = nv + static_cast<int>(start.lambda.size());
    unknowns.resize(size);
    std::copy(start.a.begin(), start.a.end(), unknowns.begin());
    std::copy(start.lambda.begin(), start.lambda.end(), unknowns.begin() + nv);
  }
  MotionPoint point(const VectorXd& q1, const VectorXd& v1, const VectorXd& z) const {
    return {state.t,   numbers(q1), numbers(v1), numbers(z).first(nv), numbers(z).subspan(nv),
            state.mode};
  }
  VectorXd residual(const VectorXd& q1, const VectorXd& v1, const VectorXd& z) const {
    VectorXd r(size);
    form.residual(point(q1, v1, z), {r.data(), static_cast<std::size_t>(size)}, *workspace);
    return r;
  }
  MatrixXd matrix(double q_scale, double v_scale) const {
    MatrixXd A(size, size);
    form.residual_matrix(point(q, v, unknowns), {q_scale, v_scale, nullptr}, A, *workspace);
    return A;
  }

  // Zero to rounding, measured by the terms that cancel.
  void expect_solution() const {
    if (size == 0) return;  // nothing moves
    const VectorXd r = residual(q, v, unknowns), free = residual(q, v, VectorXd::Zero(size));
    const VectorXd terms = matrix(0, 0).cwiseAbs() * unknowns.cwiseAbs() + free.cwiseAbs();
    EXPECT_LE(r.head(nv).lpNorm<Eigen::Infinity>(), 1e-9 * (1 + terms.maxCoeff()));
    EXPECT_LE(r.tail(size - nv).lpNorm<Eigen::Infinity>(), 1e-8 * (1 + terms.maxCoeff()));
  }
  void expect_matrix(std::uint64_t seed) const {
    if (size == 0) return;
    Random random(seed);
    VectorXd z(size), d(nv), moved(nq);
    for (double& entry : z) entry = random.uniform(-1, 1);
    const double q_scale = 0.3, v_scale = 0.7;
    auto at = [&](double h) {
      d = h * q_scale * z.head(nv);
      form.positions().plus(numbers(q), numbers(d), {moved.data(), static_cast<std::size_t>(nq)});
      return residual(moved, v + h * v_scale * z.head(nv), unknowns + h * z);
    };
    auto central = [&](double h) -> VectorXd { return (at(h) - at(-h)) / (2 * h); };
    const VectorXd expected = (4 * central(2e-5) - central(4e-5)) / 3;
    const MatrixXd A = matrix(q_scale, v_scale);
    EXPECT_LE((A * z - expected).lpNorm<Eigen::Infinity>(),
              3e-6 * (1 + (A.cwiseAbs() * z.cwiseAbs()).maxCoeff()));
  }
  void expect_quadrature() const {
    if (system.quadratures() == 0) return;
    VectorXd rates(state.x.size());
    system.derivative(state, {rates.data(), state.x.size()}, *workspace);
    double power = 0;
    form.quadrature_rates(point(q, v, unknowns), {&power, 1}, *workspace);
    EXPECT_NEAR(power, rates[rates.size() - 1], 1e-9 * (1 + rates.lpNorm<Eigen::Infinity>()));
  }
};

TEST(SecondOrder, TreesAreSolvedByBoth) {
  std::size_t loads = 0;  // unknown with the accelerations
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomMechanismOptions options;
    options.max_bodies = 10;
    const std::unique_ptr<Case> c = make_case(seed, options);
    for (const auto& system : c->systems) {
      if (!system->second_order()) continue;
      SCOPED_TRACE(system->formulation());
      const Solved solved(*system, c->state);
      solved.expect_solution();
      solved.expect_quadrature();
      loads += solved.start.lambda.size();
    }
    for (const auto& system : c->absolute) {
      if (!system->second_order()) continue;  // rotation-elements
      SCOPED_TRACE(system->formulation());
      const Solved solved(*system, c->absolute_state(*system));
      solved.expect_solution();
      solved.expect_quadrature();
    }
  }
  EXPECT_GT(loads, 20u);
}

TEST(SecondOrder, ClosedMechanismsAreSolvedByBoth) {
  RandomClosedOptions options;
  options.tree.max_bodies = 8;
  int velocity_rows = 0, position_rows = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ClosedModel m(make_random_closed_mechanism(seed, options));
    for (const char* formulation :
         {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3"}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + formulation);
      std::string problem;
      const auto owner = make_system(m.model, m.tree.parameters, formulation, problem);
      ASSERT_TRUE(owner || !problem.empty());
      if (!owner) continue;
      const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
      const Solved solved(system, system.initial_state());
      solved.expect_solution();
      solved.expect_quadrature();
      if (seed <= 15) solved.expect_matrix(seed);
      std::vector<EquationLevel> levels;
      solved.form.fill_levels(solved.state.mode, levels);
      for (EquationLevel level : levels) {
        velocity_rows += level == EquationLevel::velocity;
        position_rows += level == EquationLevel::position;
      }
    }
  }
  EXPECT_GT(position_rows, 100);
  EXPECT_GT(velocity_rows, 20);
}

TEST(SecondOrder, MatrixOfTreesAgainstDifferences) {
  RandomMechanismOptions options;
  options.max_bodies = 6;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, options);
    for (const auto& system : c->systems)
      if (system->second_order()) Solved(*system, c->state).expect_matrix(seed);
    for (const auto& system : c->absolute)
      if (system->second_order()) Solved(*system, c->absolute_state(*system)).expect_matrix(seed);
  }
}

// v'' along the motion: central differences of v' with the motion's own Taylor step.
TEST(SecondOrder, RateOfAccelerationsAgainstDifferences) {
  RandomMechanismOptions options;
  options.max_bodies = 5;
  options.exact_friction = options.bearings = false;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed, options);
    if (c->nv == 0) continue;
    const MechanicalSystem& system = *c->systems.front();
    const Solved here(system, c->state);
    auto at = [&](double h) {
      const VectorXd a = here.unknowns.head(here.nv);
      const VectorXd d = h * here.v + 0.5 * h * h * a;
      State state = here.state;
      state.t += h;
      here.form.positions().plus(numbers(here.q), numbers(d), std::span(state.x).first(here.nq));
      for (int j = 0; j < here.nv; ++j) state.x[here.nq + j] = here.v[j] + h * a[j];
      MotionStart there;
      here.form.start(state, there, *here.workspace);
      return VectorXd(Eigen::Map<VectorXd>(there.a.data(), here.nv));
    };
    // errors of second order in h only
    auto central = [&](double h) -> VectorXd { return (at(h) - at(-h)) / (2 * h); };
    const VectorXd expected = (4 * central(5e-5) - central(1e-4)) / 3;
    const VectorXd jerk = Eigen::Map<const VectorXd>(here.start.jerk.data(), here.nv);
    const double size =
        1 + jerk.lpNorm<Eigen::Infinity>() + here.unknowns.lpNorm<Eigen::Infinity>();
    EXPECT_LE((jerk - expected).lpNorm<Eigen::Infinity>(), 1e-5 * size);
  }
}

}  // namespace
}  // namespace cartan::test
