#include "compare.h"

#include <algorithm>
#include <cmath>

namespace cartan::test {
namespace {

void compare_accelerations(const NaiveResult& naive, const Conditioning& c,
                           const DynamicsReport& report, double tolerance, Worst& worst) {
  if (naive.vdot.size() == 0) return;
  const Eigen::VectorXd difference = c.scale.cwiseProduct(flat(report.acceleration) - naive.vdot);
  const Eigen::VectorXd forces = c.scale.cwiseInverse().cwiseProduct(naive.applied_scale);
  const double size = std::max(c.scale.cwiseProduct(naive.vdot).norm(), forces.norm() / c.largest);
  EXPECT_GT(size, 0);
  EXPECT_LE(difference.norm(), tolerance * size);
  worst.acceleration = std::max(worst.acceleration, difference.norm() / (tolerance * size));
}

void compare_reactions(const NaiveResult& naive, const DynamicsReport& report, double tolerance,
                       Worst& worst) {
  ASSERT_EQ(naive.reactions.size(), report.reactions.size());
  EXPECT_GT(naive.force_scale, 0);
  for (std::size_t j = 0; j < naive.reactions.size(); ++j) {
    const double force = norm(naive.reactions[j].force - report.reactions[j].force);
    const double torque = norm(naive.reactions[j].torque - report.reactions[j].torque);
    const double torque_scale = naive.torque_scale + naive.force_scale * naive.length_scale;
    EXPECT_LE(force, tolerance * naive.force_scale) << "joint " << j;
    EXPECT_LE(torque, tolerance * torque_scale) << "joint " << j;
    worst.reaction = std::max({worst.reaction, force / (tolerance * naive.force_scale),
                               torque / (tolerance * torque_scale)});
  }
}

void compare_energies(const NaiveResult& naive, const MechanicalSystem& system, const State& state,
                      bool speeds_given, Workspace& workspace, double tolerance, Worst& worst) {
  Observation observed;
  system.observe(state, observed, workspace);
  const double size = naive.kinetic + naive.potential_scale;
  const double kinetic = std::fabs(observed.kinetic - naive.kinetic);
  const double potential = std::fabs(observed.potential - naive.potential);
  EXPECT_LE(kinetic, tolerance * naive.kinetic);
  EXPECT_LE(potential, tolerance * naive.potential_scale);
  worst.energy = std::max(worst.energy, (kinetic + potential) / (tolerance * size));
  for (std::size_t i = 0; i < naive.bodies.size(); ++i) {
    const NaiveBody& b = naive.bodies[i];
    const double turned = norm(rotation_matrix(observed.bodies[i].orientation).c[0] - b.X.R.c[0]);
    EXPECT_LE(turned, 1e-13 * naive.bodies.size());
    const double reach = naive.length_scale;
    EXPECT_LE(norm(observed.bodies[i].position - b.X.p), 1e-13 * reach);
    const double speed = norm(b.origin_velocity) + norm(b.w) * reach + naive.speed_scale;
    const double limit = (speeds_given ? 1e-12 : tolerance) * speed;
    EXPECT_LE(norm(observed.bodies[i].linear - b.origin_velocity), limit);
    EXPECT_LE(norm(observed.bodies[i].angular - transpose_times(b.X.R, b.w)), limit);
  }
}

void compare_power(const NaiveResult& naive, const DynamicsReport& report, double tolerance,
                   Worst& worst) {
  const double size = naive.power_scale;
  auto compare = [&](double a, double b, const char* what) {
    EXPECT_LE(std::fabs(a - b), tolerance * size) << what;
    worst.power = std::max(worst.power, std::fabs(a - b) / (tolerance * size));
  };
  compare(report.power.kinetic_rate, naive.kinetic_rate, "kinetic rate");
  compare(report.power.potential_rate, naive.potential_rate, "potential rate");
  compare(report.power.nonconservative, naive.nonconservative, "nonconservative");
  EXPECT_EQ(report.power.constraint, 0);
  ASSERT_EQ(report.forces.size(), naive.elements.size());
  for (std::size_t k = 0; k < naive.elements.size(); ++k) {
    const NaiveEnergy& e = naive.elements[k];
    compare(report.forces[k].power, e.power, "power of an element");
    compare(report.forces[k].potential_rate, e.potential_rate, "potential rate of an element");
    EXPECT_LE(std::fabs(report.forces[k].potential - e.potential),
              tolerance * naive.potential_scale);
  }
}

// The coordinates a system reports, where they are others than the case's. Whole turns and the
// signs of quaternions are not part of the bodies' poses: systems of free bodies may see others
// than the file's, and expressions that mention them see these.
NaiveState reported_state(const Case& c, const MechanicalSystem& system, const State& state) {
  Observation seen;
  system.observe(state, seen, *system.make_workspace());
  const Eigen::VectorXd q = flat(seen.q), v = flat(seen.v);
  if ((q - c.q()).norm() < 1e-6) return c.naive_state();
  return {state.t, {q.begin(), q.end()}, {v.begin(), v.end()}};
}

void compare_at(const NaiveTree& tree, const NaiveState& at, const MechanicalSystem& system,
                const State& state, bool speeds_given, Worst& worst) {
  SCOPED_TRACE(system.formulation());
  const NaiveResult naive = calc_naive_dynamics(tree, at);
  if (!naive.converged) {
    ++worst.unresolved;
    return;
  }
  const Conditioning conditioning = calc_conditioning(naive.mass_matrix);
  const double tolerance = 1e3 * conditioning.kappa * eps;
  EXPECT_LT(tolerance, 1e-2) << "this state proves nothing";
  worst.moved = std::max(worst.moved, naive.kinetic);
  const std::unique_ptr<Workspace> workspace = system.make_workspace();
  const DynamicsReport report = system.report_dynamics(state, *workspace);
  compare_accelerations(naive, conditioning, report, tolerance, worst);
  compare_reactions(naive, report, tolerance, worst);
  compare_power(naive, report, tolerance, worst);
  compare_energies(naive, system, state, speeds_given, *workspace, tolerance, worst);
}

}  // namespace

void compare_with_naive(const Case& c, Worst& worst) {
  const NaiveTree tree = make_naive_tree(c.model, c.parameters);
  for (const auto& system : c.systems) {
    const State state = state_in(*system, c);
    compare_at(tree, c.naive_state(), *system, state, state.x == c.state.x, worst);
  }
  for (const auto& system : c.absolute) {
    const State state = c.absolute_state(*system);
    compare_at(tree, reported_state(c, *system, state), *system, state, true, worst);
    ++worst.absolute;
  }
}

}  // namespace cartan::test
