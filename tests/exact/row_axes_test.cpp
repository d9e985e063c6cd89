// What the axes in which the gap of a joint is differentiated do to a gap that is there
// (mechanics/joints/loop_rows.h): y' = 0 keeps the rate y of the gap in these axes, and the energy
// changes at the rate lambda . y. A rate y of 1e-6 m/s is planted and the equations are integrated
// as they stand, accurately. Gaps stay that small, so that the closed forms below hold but for
// terms of second order in y.
#include <cmath>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

constexpr double planted = 1e-6, pi = 3.14159265358979323846;

// A wheel that nothing slows down, turning about x, with a ball on a pin at the radius `radius`.
std::string wheel_text(double radius, double gravity) {
  const std::string z = std::to_string(radius);
  return "name = \"wheel and ball\"\ngravity = [0, 0, " + std::to_string(-gravity) +
         "]\n[[body]]\nname = \"wheel\"\nmass = 10\ninertia = [3, 3, 3]\n"
         "[[body]]\nname = \"ball\"\nmass = 2\ninertia = [0.1, 0.1, 0.1]\n"
         "[[joint]]\nname = \"axle\"\ntype = \"revolute\"\naxis = [1, 0, 0]\n"
         "parent = { body = \"world\" }\nchild = { body = \"wheel\" }\nvelocity = 5\n"
         "[[joint]]\nname = \"pin\"\ntype = \"spherical\"\n"
         "parent = { body = \"wheel\", at = [0, 0, " +
         z + "] }\nchild = { body = \"ball\" }\n";
}

// Change of the energy after some turns of the wheel, gap planted along z.
double energy_change(const std::string& text, bool world_rows, double duration) {
  Example example = load_text(text, "absolute-so3r3");
  EXPECT_TRUE(example) << example.problem;
  auto& system = dynamic_cast<MechanicalSystem&>(*example.system);
  EXPECT_EQ(system.set_world_rows(world_rows), "");
  State start = system.initial_state();
  start.x[2 * 7 + 6 + 5] += planted;  // the ball's speed along z
  SimulateOptions options;
  options.integrator = "gl3";
  options.step = 0.01;
  options.duration = duration;
  options.project = false;
  const SimulateReport report = simulate(system, start, options, Observer{});
  EXPECT_TRUE(report.ok()) << report.message;
  const Observation before = observe(system, start), after = observe(system, report.final_state);
  return after.kinetic + after.potential - before.kinetic - before.potential;
}

// lambda = -m w^2 r turns with the wheel. In the wheel's axes y does so, too, and the reaction
// takes m w^2 r y all the time; in the world's axes y stands still and work goes back and forth.
TEST(RowAxes, ReactionThatTurnsWithTheParent) {
  const double r = 0.3, w = 5, m = 2, turn = 2 * pi / w;
  const std::string text = wheel_text(r, 0);
  const double full = m * w * w * r * planted;  // watts
  for (const double turns : {3.0, 10.0}) {
    EXPECT_NEAR(energy_change(text, false, turns * turn) / (-full * turns * turn), 1, 2e-3);
    EXPECT_NEAR(energy_change(text, true, turns * turn) / (full * turn), 0, 2e-3);
  }
  EXPECT_NEAR(energy_change(text, true, 0.25 * turn) / (-full / w), 1, 2e-3);
}

// lambda = m g stands still: the other way round.
TEST(RowAxes, ReactionThatKeepsItsDirection) {
  const double w = 5, m = 2, g = 9.81, turn = 2 * pi / w;
  const std::string text = wheel_text(0, g);
  const double full = m * g * planted;
  for (const double turns : {3.0, 10.0}) {
    EXPECT_NEAR(energy_change(text, true, turns * turn) / (full * turns * turn), 1, 2e-3);
    EXPECT_NEAR(energy_change(text, false, turns * turn) / (full * turn), 0, 2e-3);
  }
  EXPECT_NEAR(energy_change(text, false, 0.25 * turn) / (full / w), 1, 2e-3);
}

// In joint axes both bodies feel the reaction at one point, and the angular momentum of two free
// bodies stays whatever the gap is; in world axes the two forces are the gap apart.
TEST(RowAxes, AngularMomentumAcrossAGap) {
  for (const bool world_rows : {false, true}) {
    Example example = load_example("floating_pair", "absolute-so3r3");
    ASSERT_TRUE(example) << example.problem;
    auto& system = dynamic_cast<MechanicalSystem&>(*example.system);
    ASSERT_EQ(system.set_world_rows(world_rows), "");
    State start = system.initial_state();
    start.x[7 + 5] += 1e-3;  // the second body's place
    SimulateOptions options;
    options.integrator = "gl3";
    options.step = 0.001;
    options.duration = 1;
    options.project = false;
    const SimulateReport report = simulate(system, start, options, Observer{});
    ASSERT_TRUE(report.ok()) << report.message;
    const Observation before = observe(system, start), after = observe(system, report.final_state);
    const double change = norm(after.angular_momentum - before.angular_momentum);
    if (world_rows)
      EXPECT_GT(change, 1e-5);
    else
      EXPECT_LT(change, 1e-11);
    EXPECT_LT(norm(after.linear_momentum - before.linear_momentum), 1e-11);
  }
}

}  // namespace
}  // namespace cartan::test
