// Forces and friction in closed mechanisms, and their warm steps.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "integrate/integrator.h"
#include "integrate/simulate.h"
#include "support/allocation_counter.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using test::Example;

// The example with more at its end, cut at another joint where one is named.
std::string extended(const char* example, const std::string& more, const std::string& cut = "") {
  std::string text = test::example_text(example);
  if (!cut.empty()) {
    const std::string name = "name = \"" + cut + "\"\n";
    const std::size_t at = text.find(name);
    EXPECT_NE(at, std::string::npos) << cut;
    text.insert(at + name.size(), "loop = true\n");
  }
  return text + "\n" + more;
}

// The same configuration and motion in a model with another spanning tree.
State same_state(const Observation& seen, const MechanicalSystem& other) {
  std::vector<std::optional<std::vector<double>>> q(seen.q.begin(), seen.q.end());
  std::vector<std::optional<std::vector<double>>> v(seen.v.begin(), seen.v.end());
  return other.make_state(seen.t, q, v);
}

struct Case {
  const char* name;
  const char* example;
  const char* elsewhere;  // joint to cut instead
  std::string force;      // in or upon the joint that closes the loop in the file
};

void PrintTo(const Case& c, std::ostream* stream) {
  *stream << c.name;
}

class LoopForce : public testing::TestWithParam<Case> {};

// A force in a loop joint does what it does when the joint belongs to the tree.
TEST_P(LoopForce, SameAsInTheTree) {
  const Case& c = GetParam();
  for (const char* formulation : {"recursive", "moving-frame"}) {
    const Example plain = test::load_example(c.example, formulation);
    const Example loop = test::load_text(extended(c.example, c.force), formulation);
    const Example tree = test::load_text(extended(c.example, c.force, c.elsewhere), formulation);
    ASSERT_TRUE(plain && loop && tree);
    ASSERT_NE(loop.model->loop_joints, tree.model->loop_joints);
    const State state = loop.system->initial_state();
    const Observation seen = test::observe(loop.mechanism(), state);
    const State other = same_state(seen, tree.mechanism());
    const Observation there = test::observe(tree.mechanism(), other);
    EXPECT_LT(there.position_violation, 1e-13);
    EXPECT_NEAR(seen.kinetic, there.kinetic, 1e-12 * (1 + seen.kinetic));
    EXPECT_NEAR(seen.potential, there.potential, 1e-12 * (1 + std::fabs(seen.potential)));
    const auto report = [](const Example& e, const State& s) {
      const auto workspace = e.system->make_workspace();
      return e.mechanism().report_dynamics(s, *workspace);
    };
    const DynamicsReport a = report(loop, state), b = report(tree, other),
                         without = report(plain, plain.system->initial_state());
    double size = 1, effect = 0;
    for (const std::vector<double>& joint : a.acceleration)
      for (double x : joint) size = std::max(size, std::fabs(x));
    for (std::size_t j = 0; j < a.acceleration.size(); ++j)
      for (std::size_t k = 0; k < a.acceleration[j].size(); ++k) {
        EXPECT_NEAR(a.acceleration[j][k], b.acceleration[j][k], 1e-11 * size)
            << formulation << " " << loop.model->joints[j].name;
        effect = std::max(effect, std::fabs(a.acceleration[j][k] - without.acceleration[j][k]));
      }
    EXPECT_GT(effect, 1e-3 * size) << "the force does something";
    ASSERT_FALSE(a.forces.empty());
    EXPECT_NEAR(a.forces.back().power, b.forces.back().power, 1e-10 * size);
    EXPECT_NEAR(a.forces.back().potential_rate, b.forces.back().potential_rate, 1e-10 * size);
    const PowerBalance& p = a.power;
    EXPECT_NEAR(p.kinetic_rate + p.potential_rate, p.nonconservative + p.constraint,
                1e-11 * size * (1 + std::fabs(p.kinetic_rate)));
  }
}

std::string in_joint(const char* type, const char* joint, const char* law) {
  return std::string("[[force]]\ntype = \"") + type + "\"\njoint = \"" + joint + "\"\n" + law;
}

INSTANTIATE_TEST_SUITE_P(
    Forces, LoopForce,
    testing::Values(
        Case{"Torsion", "four_bar", "knee",
             in_joint("torsion", "wrist", "stiffness = 5\ndamping = 0.3\nrest = 0.2\n")},
        Case{"JointForce", "four_bar", "knee",
             in_joint("joint", "wrist", "value = \"1 - 2*q - 0.1*v + motor.q\"\n")},
        Case{
            "Potential", "four_bar", "foot",
            "[[force]]\ntype = \"potential\"\nvalue = \"3*(1 - cos(wrist.q)) + wrist.q*knee.q\"\n"},
        Case{"SphericalTorsion", "spherical_three_bar", "joint1",
             in_joint("torsion", "joint3", "stiffness = 2\ndamping = 0.01\n")},
        Case{"SphericalJointForce", "spherical_three_bar", "joint1",
             in_joint("joint", "joint3", "value = [0.3, \"-0.1*v[1]\", \"q[0]\"]\n")}),
    [](const auto& info) { return std::string(info.param.name); });

// ---------------------------------------------------------------------------------------- friction

constexpr const char* dry_motor = R"toml(
[[force]]
name = "dry"
type = "friction"
joint = "motor"
coulomb = 0.8
[[force]]
name = "push"
type = "joint"
joint = "motor"
value = "2*sin(3*t)"
)toml";

// Runs the example and shows what is seen at every step, with the mode of its friction. The largest
// error of the energy balance.
template <class F>
double watch_run(const Example& e, double duration, double step, F&& look) {
  const auto workspace = e.system->make_workspace();
  Observation seen;
  double initial = 0, drift = 0;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    e.mechanism().observe(state, seen, *workspace);
    const double energy = seen.kinetic + seen.potential - seen.work;
    if (state.t == 0) initial = energy;
    drift = std::max(drift, std::fabs(energy - initial));
    look(seen, state.mode[0]);
  };
  SimulateOptions options;
  options.duration = duration;
  options.step = step;
  const SimulateReport report = simulate(*e.system, e.system->initial_state(), options, observer);
  EXPECT_TRUE(report.ok()) << report.message;
  return drift;
}

// Friction holds the crank, hence the whole linkage, until the push is strong enough.
TEST(ClosedFriction, TheCrankSticksAndSlips) {
  for (const char* formulation : {"recursive", "moving-frame"}) {
    SCOPED_TRACE(formulation);
    const Example e = test::load_text(extended("four_bar", dry_motor), formulation);
    ASSERT_TRUE(e);
    double crept = 0, held_at = 0, work = 0;
    int stuck = 0, slipping = 0, releases = 0;
    bool was_stuck = false;
    const double drift = watch_run(e, 1, 0.0005, [&](const Observation& seen, int mode) {
      const double q = seen.q[0][0], v = seen.v[0][0];
      work = seen.work;
      if (mode == 0) {
        ++stuck;
        EXPECT_EQ(v, 0.0) << "exactly at rest, t = " << seen.t;
        EXPECT_LT(seen.kinetic, 1e-25) << "and with it all of the linkage";
        if (was_stuck) crept = std::max(crept, std::fabs(q - held_at));
        held_at = q;
      } else {
        ++slipping;
        EXPECT_NE(v, 0.0);
        releases += was_stuck;
      }
      was_stuck = mode == 0;
    });
    EXPECT_GT(stuck, 100);
    EXPECT_GT(slipping, 100);
    EXPECT_EQ(releases, 1);
    EXPECT_LT(crept, 1e-14);
    EXPECT_LT(drift, 1e-9);
    EXPECT_GT(std::fabs(work), 0.1) << "there was work to account for";
  }
}

// A joint that turns back while the mechanism goes on does not stick.
TEST(ClosedFriction, TheRockerTurnsBackWithoutSticking) {
  const Example e = test::load_text(extended("four_bar", R"(
[[force]]
type = "friction"
joint = "foot"
coulomb = 0.05
)"));
  ASSERT_TRUE(e);
  int turns = 0;
  double before = -1;
  const double drift = watch_run(e, 2, 0.001, [&](const Observation& seen, int mode) {
    const double v = seen.v[2][0];
    EXPECT_NE(mode, 0) << "t = " << seen.t;
    EXPECT_GE(v * mode, 0) << "friction knows the direction";
    turns += v * before < 0;
    before = v;
  });
  EXPECT_GE(turns, 4);
  EXPECT_LT(drift, 1e-10);
}

// -------------------------------------------------------------------------------------- allocation

// Steps with projection, as a run takes them.
TEST(ClosedAllocation, WarmStepsAskForNoMemory) {
  for (const char* name :
       {"four_bar", "stewart", "sleigh", "rolling_coin", "gears", "coupled_pendulums"})
    for (const char* formulation : {"recursive", "moving-frame"}) {
      const Example e = test::load_example(name, formulation);
      ASSERT_TRUE(e);
      for (const char* method : {"rk4", "dop853", "gl3", "rkmk45", "cvode", "ida"}) {
        const auto integrator = find_integrator(method)->make(*e.system, {});
        State state = e.system->initial_state();
        integrator->restart();
        // a state off the constraints, so that projection has been through all it may have to do
        State off = state;
        for (double& x : off.x) x += 1e-9;
        EXPECT_TRUE(e.system->project(off, integrator->workspace()).moved);
        long memory = 0;
        int restarts = 0;
        for (int i = 0; i < 40; ++i) {
          const long before = test::allocation_count();
          integrator->step(state, 0.001, state.t + 0.001);
          const Projection done = e.system->project(state, integrator->workspace());
          if (done.moved) integrator->moved();
          restarts += done.mode_changed;
          if (i >= 20) memory += test::allocation_count() - before;
        }
        EXPECT_EQ(restarts, 0);
        EXPECT_EQ(memory, 0) << name << " " << formulation << " " << method;
        EXPECT_GT(state.t, 0.001);
      }
    }
}

// A sound motion is never said to be close to a singular position, weak though some rows may be;
// one that comes to a flat four-bar is.
TEST(Singular, OnlyWhereRowsHaveBecomeWeak) {
  for (const char* name : {"benchmark_bicycle", "bicycle", "slider_crank", "squeezer"})
    for (const char* formulation : {"recursive", "absolute-se3"}) {
      SCOPED_TRACE(std::string(name) + " " + formulation);
      const Example e = test::load_example(name, formulation);
      const auto workspace = e.system->make_workspace();
      const bool fast = std::string(name) == "squeezer";
      Observer observer;
      observer.on_sample = [&](const State& state) {
        EXPECT_EQ(e.system->explain_failure(state, *workspace), "") << "t = " << state.t;
      };
      simulate(*e.system, e.system->initial_state(),
               {.integrator = "gl3", .duration = fast ? 0.002 : 0.2, .step = fast ? 1e-4 : 0.005},
               observer);
    }
  const Example flat =
      test::load_example("four_bar", "recursive", {{"a", 0.3}, {"b", 0.5}, {"c", 0.3}, {"d", 0.5}});
  ASSERT_TRUE(flat);
  const State near = flat.mechanism().make_state(
      0, {std::vector{1e-3}, std::vector{-1e-3}, std::vector{1e-3}}, {});
  EXPECT_NE(flat.system->explain_failure(near, *flat.system->make_workspace()).find("close to"),
            std::string::npos);
}

}  // namespace
}  // namespace cartan::test
