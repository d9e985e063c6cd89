// The integrator `variational` as it is run: projection, events, dense output, work, steep forces,
// cost, refusals, and every example.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>

#include "integrate/integrator.h"
#include "order/problems.h"
#include "support/example.h"

namespace cartan::test {
namespace {

SimulateOptions options_of(double duration, double step) {
  return {.integrator = "variational", .duration = duration, .step = step};
}

// The constraints hold to rounding without projection, and projection leaves the motion alone.
TEST(Variational, ProjectionDoesNotReachTheMotion) {
  for (const char* formulation : {"recursive", "absolute-se3"})
    for (const char* name : {"four_bar", "spherical_three_bar", "rolling_coin", "slider_crank"}) {
      const Example example = load_example(name, formulation);
      ASSERT_TRUE(example);
      SimulateOptions options = options_of(2, 0.002);
      const SimulateReport with =
          simulate(*example.system, example.system->initial_state(), options, Observer{});
      options.project = false;
      const SimulateReport without =
          simulate(*example.system, example.system->initial_state(), options, Observer{});
      ASSERT_TRUE(with.ok()) << with.message;
      ASSERT_TRUE(without.ok()) << without.message;
      // not a trace is left of a thousand projections but the last one
      EXPECT_LT(largest_difference(with.final_state.x, without.final_state.x), 1e-12)
          << name << " " << formulation;
      const Observation now = observe(example.mechanism(), without.final_state);
      EXPECT_LT(now.position_violation, 1e-14) << name << " " << formulation;
      EXPECT_LT(now.velocity_violation, 1e-12) << name << " " << formulation;
    }
}

// A state that was changed by someone else is taken as it is.
TEST(Variational, ForgetsWhenTheStateWasChanged) {
  const Example top = load_example("heavy_top");
  ASSERT_TRUE(top);
  const auto method = find_integrator("variational")->make(*top.system, {});
  State a = top.system->initial_state();
  method->restart();
  for (int n = 1; n <= 3; ++n) method->step(a, 0.002, 0.002 * n);
  a.x.back() += 0.5;
  State b = a;
  method->step(a, 0.002, 0.008);
  const auto fresh = find_integrator("variational")->make(*top.system, {});
  fresh->restart();
  fresh->step(b, 0.002, 0.008);
  EXPECT_LT(largest_difference(a.x, b.x), 1e-13);
}

// A pendulum passes the vertical: times by events, with the order of the method.
TEST(Variational, EventsInTheStep) {
  const Example pendulum = load_example("pendulum");
  ASSERT_TRUE(pendulum);
  double error[2];
  for (int k : {0, 1}) {
    Trajectory path, exact;
    SimulateOptions options = options_of(4, 0.02 / (1 + k));
    ASSERT_TRUE(simulate(*pendulum.system, pendulum.system->initial_state(), options, path).ok());
    options.integrator = "gl4";
    ASSERT_TRUE(simulate(*pendulum.system, pendulum.system->initial_state(), options, exact).ok());
    ASSERT_FALSE(exact.events.empty());
    ASSERT_EQ(path.events.size(), exact.events.size());
    error[k] = 0;
    for (std::size_t i = 0; i < path.events.size(); ++i)
      error[k] = std::max(error[k], std::fabs(path.events[i].state.t - exact.events[i].state.t));
  }
  EXPECT_LT(error[0], 1e-2);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.2);
}

// Inside a step the cubic and the shorter step agree to the order of the method, and at the end the
// cubic is the step.
TEST(Variational, DenseOutputAndShorterSteps) {
  for (const char* name : {"heavy_top", "four_bar", "rolling_coin", "spring_damper_chain"}) {
    const Example example = load_example(name);
    ASSERT_TRUE(example);
    double gap[2];
    for (int k : {0, 1}) {
      const double h = 0.002 / (1 + k);
      const auto method = find_integrator("variational")->make(*example.system, {});
      State state = example.system->initial_state();
      method->restart();
      ASSERT_EQ(method->step(state, h, h).status, StepStatus::ok);
      std::vector<double> x(state.x.size()), y(x.size());
      ASSERT_TRUE(method->dense(1, x));
      EXPECT_LT(largest_difference(x, state.x), 1e-13) << name;
      ASSERT_TRUE(method->dense(0, x));
      EXPECT_LT(largest_difference(x, example.system->initial_state().x), 1e-15) << name;
      ASSERT_TRUE(method->dense(0.6, x));
      ASSERT_EQ(method->restep(0.6 * h, y).status, StepStatus::ok);
      gap[k] = largest_difference(x, y);
      // the step taken is still the last one
      ASSERT_TRUE(method->dense(1, x));
      EXPECT_LT(largest_difference(x, state.x), 1e-13) << name;
      const State from = state;
      ASSERT_EQ(method->step(state, h, 2 * h).status, StepStatus::ok);
      ASSERT_TRUE(method->dense(0, x));
      EXPECT_LT(largest_difference(x, from.x), 1e-15) << name;
    }
    EXPECT_GT(std::log2(gap[0] / gap[1]), 2.5) << name << " " << gap[0];
  }
}

// Work of drives and losses closes the balance of energy, at second order.
TEST(Variational, Work) {
  for (const char* name : {"driven_pendulum", "spring_damper_chain", "falling_ball"}) {
    const Example example = load_example(name);
    ASSERT_TRUE(example);
    double gap[2];
    for (int k : {0, 1}) {
      const SimulateReport report = simulate(*example.system, example.system->initial_state(),
                                             options_of(0.5, 0.002 / (1 + k)), Observer{});
      ASSERT_TRUE(report.ok()) << report.message;
      const Observation start = observe(example.mechanism(), example.system->initial_state());
      const Observation end = observe(example.mechanism(), report.final_state);
      EXPECT_GT(std::fabs(end.work), 0);
      gap[k] = end.kinetic + end.potential - start.kinetic - start.potential - end.work;
    }
    EXPECT_NEAR(std::log2(std::fabs(gap[0] / gap[1])), 2, 0.3) << name;
  }
}

// Losses beyond what a substitution could solve: h c / (2 m) = 5, and 25 where the hinge is slow.
constexpr const char* steep = R"(
name = "steep losses"
gravity = [0, 0, -9.81]
[[body]]
name = "slider"
mass = 1
[[body]]
name = "disc"
mass = 1
inertia = [0.1, 0.1, 0.2]
[[joint]]
name = "rail"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "slider" }
velocity = 3
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "slider" }
child = { body = "disc" }
velocity = 2
[[force]]
type = "joint"
joint = "rail"
value = "-2e3*rail.v"
[[force]]
type = "friction"
joint = "hinge"
coulomb = 1
smoothing = 1e-3
)";

TEST(Variational, SteepLosses) {
  const Example example = load_text(steep);
  ASSERT_TRUE(example);
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(), options_of(2, 0.01), Observer{});
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_GT(report.counts.newton_steps, 0);
  const Observation end = observe(example.mechanism(), report.final_state);
  EXPECT_NEAR(end.v[0][0], -2 * 9.81 / 2e3, 1e-9);  // sinks
  EXPECT_LT(std::fabs(end.v[1][0]), 1e-4);          // at rest after 0.4 s ...
  EXPECT_NEAR(end.q[1][0], 0.4, 0.01);              // ... and I w^2 / (2 c)
}

std::string chain_text(int links) {
  std::string text = "name = \"chain\"\n";
  for (int i = 0; i < links; ++i) {
    const std::string name = "b" + std::to_string(i);
    text += "[[body]]\nname = \"" + name +
            "\"\nmass = 1\ncom = [0, 0, -0.5]\ninertia = [0.09, 0.09, 0.01]\n"
            "[[joint]]\nname = \"j" +
            std::to_string(i) + "\"\ntype = \"spherical\"\nparent = { body = \"" +
            (i == 0 ? "world\"" : "b" + std::to_string(i - 1) + "\", at = [0, 0, -1]") +
            " }\nchild = { body = \"" + name +
            "\" }\nposition = { axis = [1, 0.3, 0], angle = " + (i == 0 ? "0.4" : "0.01") + " }\n";
  }
  return text;
}

// O(n) an iteration; their number does not grow with the chain.
TEST(Variational, IterationsOfLongChains) {
  double first = 0;
  for (int links : {16, 64, 256, 1024}) {
    const Example chain = load_text(chain_text(links));
    ASSERT_TRUE(chain);
    const SimulateReport report =
        simulate(*chain.system, chain.system->initial_state(), options_of(0.1, 0.005), Observer{});
    ASSERT_TRUE(report.ok()) << report.message;
    const double each = static_cast<double>(report.counts.evaluations) / 20;
    std::printf("  %4d links: %.1f solutions a step\n", links, each);
    if (first == 0) first = each;
    EXPECT_LE(each, 2 * first);
    EXPECT_EQ(report.counts.jacobians, 0);
  }
}

TEST(Variational, Refusals) {
  const Problem<FreeBodyRates> plain = make_free_body();
  EXPECT_NE(refuse_integrator("variational", plain).find("needs a mechanism"), std::string::npos);
  const Example momenta = load_example("heavy_top", "canonical");
  ASSERT_TRUE(momenta);
  EXPECT_NE(refuse_integrator("variational", *momenta.system).find("recursive"), std::string::npos);
  const Example stuck = load_example("stick_slip");
  ASSERT_TRUE(stuck);
  EXPECT_NE(refuse_integrator("variational", *stuck.system).find("'smoothing'"), std::string::npos);
  const SimulateReport report =
      simulate(*stuck.system, stuck.system->initial_state(), options_of(1, 0.01), Observer{});
  EXPECT_EQ(report.status, RunStatus::bad_options);
  const Example top = load_example("heavy_top");
  ASSERT_TRUE(top);
  EXPECT_EQ(refuse_integrator("variational", *top.system), "");
}

TEST(Variational, ForcesWithoutAValue) {
  for (const char* value : {"sqrt(0.5 - t)", "sqrt(0.5 - t) - rail.v"}) {
    const Example example = load_text(std::string(R"(
name = "edge"
[[body]]
name = "slider"
mass = 1
[[joint]]
name = "rail"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "slider" }
[[force]]
type = "joint"
joint = "rail"
value = ")") + value + "\"\n");
    ASSERT_TRUE(example);
    const SimulateReport report =
        simulate(*example.system, example.system->initial_state(), options_of(1, 0.01), Observer{});
    EXPECT_EQ(report.status, RunStatus::not_finite) << report.message;
    EXPECT_NEAR(report.final_state.t, 0.5, 0.011);
    for (double x : report.final_state.x) EXPECT_TRUE(std::isfinite(x));
  }
}

// Half a turn and more in one step is not a displacement: a sentence, no wrong motion.
TEST(Variational, StepsTooLongForASpin) {
  const Example top = load_example("heavy_top");
  ASSERT_TRUE(top);
  const SimulateReport report =
      simulate(*top.system, top.system->initial_state(), options_of(2, 0.2), Observer{});
  EXPECT_EQ(report.status, RunStatus::no_convergence);
  EXPECT_NE(report.message.find("smaller step"), std::string::npos) << report.message;
}

// Every example moves, close to what gl4 makes of it, or is refused with a reason.
TEST(Variational, EveryExample) {
  int moved = 0, refused = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CARTAN_ROOT) + "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem().string();
    for (const char* formulation : {"recursive", "absolute-se3"}) {
      if (name == "sixtyfour_link" && formulation[0] == 'a') continue;  // slow
      const Example file = load_example(name);
      ASSERT_TRUE(file) << name;
      if (!file.model->is_mechanism()) {
        EXPECT_NE(refuse_integrator("variational", *file.system), "") << name;
        ++refused;
        break;
      }
      if (!find_formulation(formulation)->refusal(*file.model).empty()) continue;
      const Example example = load_example(name, formulation);
      if (!refuse_integrator("variational", *example.system).empty()) {
        ++refused;
        continue;
      }
      const double h =
          evaluate<double>(file.model->simulate.step, parameter_values(*file.model))[0];
      SimulateOptions options = options_of(0, h);
      options.step = std::min(h, 0.001);
      options.duration = 10 * options.step;
      const SimulateReport report =
          simulate(*example.system, example.system->initial_state(), options, Observer{});
      EXPECT_TRUE(report.ok()) << name << " " << formulation << ": " << report.message;
      options.integrator = "gl4";
      options.tolerance = 1e-10;
      const SimulateReport exact =
          simulate(*example.system, example.system->initial_state(), options, Observer{});
      EXPECT_LT(largest_difference(report.final_state.x, exact.final_state.x), 0.05)
          << name << " " << formulation;
      ++moved;
    }
  }
  std::printf("  %d motions, %d refused\n", moved, refused);
  EXPECT_GE(moved, 70);
  EXPECT_GE(refused, 5);
}

}  // namespace
}  // namespace cartan::test
