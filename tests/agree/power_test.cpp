// T' + V' = P_nonconservative + P_constraint on every example, in motion, in every formulation:
// each term is computed on its own, so what is left over is rounding. Random mechanisms with all
// forces, loops and drives: closed_test.cpp and dynamics_test.cpp.
//
// Tolerance: rounding of the largest terms a power is made of, the power of gravity and of inertia
// body by body, times the condition number of accelerations (which enter T').
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "agreement.h"
#include "support/example.h"

namespace cartan::test {
namespace {

struct Terms {
  double size = 0, residual = 0;
};

Terms balance_at(const MechanicalSystem& system, const State& state) {
  const auto workspace = system.make_workspace();
  const DynamicsReport report = system.report_dynamics(state, *workspace);
  const Observation now = test::observe(system, state);
  Terms terms;
  terms.residual = std::fabs(report.power.residual());
  for (const ForceReport& force : report.forces)
    terms.size += std::fabs(force.power) + std::fabs(force.potential_rate);
  for (double power : report.constraint_power) terms.size += std::fabs(power);
  double speed = 0, acceleration = 9.81;
  for (std::size_t i = 0; i < now.bodies.size(); ++i) {
    speed = std::max({speed, norm(now.bodies[i].linear), norm(now.bodies[i].angular)});
    acceleration =
        std::max({acceleration, norm(report.bodies[i].linear), norm(report.bodies[i].angular)});
  }
  terms.size += 2 * now.kinetic * acceleration / std::max(speed, 1e-3) +
                std::fabs(report.power.potential_rate);
  // the forces of constraints act on speeds that cancel
  for (const JointReaction& reaction : report.reactions)
    terms.size += (norm(reaction.force) + norm(reaction.torque)) * speed;
  return terms;
}

TEST(PowerBalance, EveryExampleInEveryFormulation) {
  double worst = 0, moved = 0;
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CARTAN_ROOT) + "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem().string();
    const test::Example reference = test::load_example(name);
    ASSERT_TRUE(reference) << name << reference.problem;
    if (!reference.model->is_mechanism()) continue;
    if (reference.system->contact_stepping()) continue;  // forces of whole steps only
    for (const FormulationInfo& row : formulation_table()) {
      SCOPED_TRACE(name + " " + row.name);
      if (std::string(row.name) == "generated") continue;  // reports as `recursive`
      if (!row.refusal(*reference.model).empty()) continue;
      const test::Example example = test::load_example(name, row.name);
      ASSERT_TRUE(example) << example.problem;
      const MechanicalSystem& system = example.mechanism();
      SimulateOptions options;
      options.integrator = "rk45";
      options.tolerance = 1e-8;
      options.duration = options.step = 0.05;
      const State later = simulate(system, system.initial_state(), options, Observer{}).final_state;
      const Terms terms = balance_at(system, later);
      EXPECT_LE(terms.residual, 1e-11 * (1 + terms.size));
      worst = std::max(worst, terms.residual / (1 + terms.size));
      moved = std::max(moved, terms.size);
      ++count;
    }
  }
  std::printf("%d balances, largest residual %.2g of the terms\n", count, worst);
  EXPECT_GT(count, 200);
  EXPECT_GT(moved, 1);
}

}  // namespace
}  // namespace cartan::test
