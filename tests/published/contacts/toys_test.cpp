// Toys that live from touching, by what is known of them: the rattleback turns back from one sense
// of spin only, the tippe-top turns over and keeps Jellett's integral, Euler's disc goes round at
// its rate, Newton's cradle depends on whether its balls touch. And the gripper lifts.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "published/contacts/contact_run.h"

namespace cartan::test {
namespace {

// Largest drift of the energy less work; `look` sees every sample.
double run_toy(const Example& toy, const SimulateOptions& options,
               const std::function<void(double, const Observation&)>& look) {
  const MechanicalSystem& system = toy.mechanism();
  const auto workspace = system.make_workspace();
  Observation seen;
  double start = NAN, drift = 0;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    system.observe(state, seen, *workspace);
    const double energy = seen.kinetic + seen.potential - seen.work;
    if (std::isnan(start)) start = energy;
    drift = std::max(drift, std::fabs(energy - start));
    look(state.t, seen);
  };
  const SimulateReport r = simulate(system, system.initial_state(), options, observer);
  EXPECT_TRUE(r.ok()) << r.message;
  return drift;
}

double find_output(const Example& toy, const Observation& seen, const std::string& name) {
  for (std::size_t k = 0; k < toy.model->outputs.size(); ++k)
    if (toy.model->outputs[k].name == name) return seen.outputs[k];
  ADD_FAILURE() << "no output " << name;
  return NAN;
}

// Kane and Levinson (1982): -5 rad/s comes back as nearly +5 rad/s; +5 rad/s goes on.
TEST(ContactToys, TheRattlebackTurnsBackOnce) {
  for (const double spin : {-5.0, 5.0}) {
    const Example stone = load_example("rattleback", "recursive", {{"spin", spin}});
    ASSERT_TRUE(stone) << stone.problem;
    double least = 1e9, last = 0;
    const double drift =
        run_toy(stone, {.integrator = "gl4", .duration = spin < 0 ? 8.0 : 5.0, .step = 0.002},
                [&](double, const Observation& seen) {
                  last = find_output(stone, seen, "spin");
                  least = std::min(least, last);
                });
    EXPECT_LT(drift, 1e-6);  // of gl4 at this step; 0.12 J are there
    if (spin < 0) {
      EXPECT_LT(least, -4.9);
      EXPECT_GT(last, 4.0);
    } else {
      EXPECT_GT(least, 3.0);
    }
  }
}

// Friction acts at the contact point alone, so that the angular momentum about the centre of mass
// keeps its component along the line to that point (Jellett).
TEST(ContactToys, TheTippeTopTurnsOver) {
  const Example top = load_example("tippe_top");
  ASSERT_TRUE(top) << top.problem;
  double first = NAN, off = 0, tilt = 0, highest = 0, lowest = 1;
  const double drift =
      run_toy(top, {.integrator = "dop853", .duration = 5, .step = 0.01, .tolerance = 1e-12},
              [&](double, const Observation& seen) {
                const double jellett = find_output(top, seen, "jellett");
                if (std::isnan(first)) first = jellett;
                off = std::max(off, std::fabs(jellett / first - 1));
                tilt = find_output(top, seen, "tilt");
                highest = std::max(highest, seen.potential);
                lowest = std::min(lowest, seen.potential);
              });
  EXPECT_GT(tilt, 2.9);
  EXPECT_LT(off, 1e-9);
  EXPECT_LT(drift, 1e-12);
  // the mass has risen by nearly twice its distance from the middle
  EXPECT_GT(highest - lowest, 1.9 * 0.02 * 9.81 * 0.3 * 0.02);
  // without friction it stays as it is
  const Example smooth = load_example("tippe_top", "recursive", {{"mu", 0.0}});
  ASSERT_TRUE(smooth) << smooth.problem;
  double most = 0;
  run_toy(smooth, {.integrator = "dop853", .duration = 2, .step = 0.01},
          [&](double, const Observation& seen) {
            most = std::max(most, find_output(smooth, seen, "tilt"));
          });
  EXPECT_LT(most, 0.3);
}

// A thin disc with its centre at rest: W^2 sin(tilt) = 4 g/a, exactly.
TEST(ContactToys, EulersDiscGoesRoundAtItsRate) {
  for (const double tilt : {0.5, 0.1, 0.02}) {
    const Example disc = load_example("eulers_disc", "recursive", {{"tilt", tilt}});
    ASSERT_TRUE(disc) << disc.problem;
    const double rate = std::sqrt(4 * 9.81 / (0.0375 * std::sin(tilt))), duration = 0.5;
    double off = 0, way = 0;
    const double drift = run_toy(
        disc, {.integrator = "gl4", .duration = duration, .step = 0.001},
        [&](double t, const Observation& seen) {
          off = std::max(off, std::fabs(find_output(disc, seen, "angle") - tilt));
          const auto& q = seen.q[0];
          way = std::max(way, std::hypot(q[4], q[5]));
          // the normal of the disc, (0, -sin, cos) at the start, goes round the vertical
          const double x = 2 * (q[1] * q[3] + q[0] * q[2]), y = 2 * (q[2] * q[3] - q[0] * q[1]);
          EXPECT_NEAR(x, std::sin(tilt) * std::sin(rate * t), 1e-9) << t;
          EXPECT_NEAR(y, -std::sin(tilt) * std::cos(rate * t), 1e-9) << t;
        });
    EXPECT_LT(off, 1e-9);
    EXPECT_LT(way, 1e-9);
    EXPECT_LT(drift, 1e-11);
  }
}

// Touching balls share one impact, (-3/5, 2/5, 2/5, 2/5, 2/5) of the speed; with gaps that go to
// zero they hand it on, (0, 0, 0, 0, 1).
TEST(ContactToys, NewtonsCradleBothWays) {
  for (const double gap : {0.0, 1e-9}) {
    const Example cradle = load_example("newtons_cradle", "recursive", {{"gap", gap}});
    ASSERT_TRUE(cradle) << cradle.problem;
    const MechanicalSystem& system = cradle.mechanism();
    double before = 0;
    State after;
    int jumps = 0;
    Observer observer;
    observer.on_jump = [&](const State& was, const State& is, const JumpNotes& notes) {
      if (notes.impacts.empty()) return;
      if (jumps++ == 0) before = was.x[5];
      after = is;
    };
    const SimulateReport r = simulate(
        system, system.initial_state(),
        {.integrator = "dop853", .duration = 0.25, .step = 0.01, .tolerance = 1e-12}, observer);
    ASSERT_TRUE(r.ok()) << r.message;
    EXPECT_EQ(jumps, gap > 0 ? 4 : 1);
    ASSERT_LT(before, -1.0);
    for (int i = 0; i < 5; ++i) {
      const double expected = gap > 0 ? (i == 4 ? 1.0 : 0.0) : (i == 0 ? -0.6 : 0.4);
      EXPECT_NEAR(after.x[5 + i] / before, expected, 1e-6) << gap << " " << i;
    }
  }
}

// Also where every joint is a constraint; its work is integrated to the tolerance between the steps
// as well, which would be twelve if the motion alone decided.
TEST(ContactToys, TheGripperLiftsTheBlock) {
  for (const char* formulation : {"recursive", "absolute-se3"}) {
    const Example gripper = load_example("gripper", formulation);
    ASSERT_TRUE(gripper) << gripper.problem;
    double height = 0;
    const double drift = run_toy(
        gripper, {.integrator = "dop853", .duration = 1.2, .step = 0.005},
        [&](double, const Observation& seen) { height = find_output(gripper, seen, "height"); });
    EXPECT_NEAR(height, 0.14, 1e-10) << formulation;
    EXPECT_LT(drift, 2e-8) << formulation;  // work is kept to a hundred times the tolerance, 1e-10
  }
}

}  // namespace
}  // namespace cartan::test
