// Steady states found by Newton's method, what is held, the search in a box, minima of the
// potential, and failures.
#include "analysis/equilibrium.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analysis/equilibrium_search.h"
#include "analysis/fits/minimisation.h"
#include "mechanics/machine/state_expression.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using std::numbers::pi;

// A system with its symmetries.
struct Ready {
  explicit Ready(Example from)
      : example(std::move(from)),
        workspace(example.system->make_workspace()),
        start(example.system->initial_state()),
        problem(*example.system, find_symmetries(*example.system, start, *workspace), *workspace) {}

  Held held(const std::string& text) const {
    std::string message;
    Held one;
    one.name = text;
    one.function = make_state_function(*example.system, *example.model, text, message);
    EXPECT_TRUE(one.function) << message;
    if (one.function) one.target = one.function->value(start, *workspace);
    return one;
  }

  Example example;
  std::unique_ptr<Workspace> workspace;
  State start;
  SteadyProblem problem;
};

std::string bead(double speed, double angle) {  // a pendulum on a turning vertical shaft
  return "name = \"bead\"\ngravity = [0, 0, -10]\n"
         "[[body]]\nname = \"shaft\"\nmass = 1\ninertia = [1, 1, 1]\n"
         "[[body]]\nname = \"bob\"\nmass = 1\ncom = [0, 0, -1]\n"
         "[[joint]]\nname = \"shaft\"\ntype = \"revolute\"\naxis = [0, 0, 1]\n"
         "parent = { body = \"world\" }\nchild = { body = \"shaft\" }\nvelocity = " +
         std::to_string(speed) +
         "\n[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\naxis = [0, 1, 0]\n"
         "parent = { body = \"shaft\" }\nchild = { body = \"bob\" }\nposition = " +
         std::to_string(angle) + "\n";
}

TEST(Equilibrium, PendulumOnATurningShaft) {
  const Ready ready(load_text(bead(5, 1.0)));
  EquilibriumOptions options;
  options.held = {ready.held("shaft.v")};
  const Equilibrium found = find_equilibrium(ready.problem, ready.start, options);
  ASSERT_TRUE(found.found) << found.problem;
  EXPECT_NEAR(std::cos(found.state.x[1]), 10.0 / 25, 1e-13);
  EXPECT_NEAR(found.state.x[2], 5, 1e-13);
  ASSERT_EQ(found.held.size(), 2u);
  EXPECT_EQ(found.held[1], "shaft.q0");
  const Linearisation linear = linearise(ready.problem, found.state);
  EXPECT_EQ(linear.neutral, 2);
  EXPECT_TRUE(linear.stable);
}

TEST(Equilibrium, SymmetriesAreNamed) {
  const Ready ready(load_text(bead(5, 1.0)));
  ASSERT_EQ(ready.problem.symmetries().count(), 1);
  EXPECT_EQ(ready.problem.symmetries().names[0], "shift of shaft.q");
  const Ready coin(load_example("rolling_coin"));
  ASSERT_EQ(coin.problem.symmetries().count(), 4);
  EXPECT_EQ(coin.problem.symmetries().names[0], "spin about coin's own z axis");
  const Ready governor(load_example("governor"));
  ASSERT_EQ(governor.problem.symmetries().count(), 1);
  EXPECT_EQ(governor.problem.symmetries().names[0], "shift of bearing.q");
}

TEST(Equilibrium, Governor) {
  const Ready ready(load_example("governor"));
  EquilibriumOptions options;
  options.held = {ready.held("bearing.v")};
  const Equilibrium found = find_equilibrium(ready.problem, ready.start, options);
  ASSERT_TRUE(found.found) << found.problem;
  // virtual work of the gravity and of the centrifugal forces of balls, rods and sleeve
  const double angle = observe(ready.example.mechanism(), found.state).q[2][0];
  const double m = 1, M = 2, L = 0.25, rod = 0.02, e = 0.03, w = 12, g = 9.81;
  const double s = std::sin(angle), k = std::cos(angle);
  const double gravity = -g * (2 * m * L * s + rod * L * s + 3 * rod * L * s + 2 * M * L * s);
  // sum over masses of w^2 r dr/dangle; rods: integral of (e + L x s) L x k along them, two arms
  // and two links
  const double turning = w * w * L * k * (2 * m * (e + L * s) + 4 * rod * (e / 2 + L * s / 3));
  EXPECT_NEAR(gravity + turning, 0, 1e-9);
  EXPECT_GT(angle, 0.1);
}

TEST(Equilibrium, TooManyHeldIsTold) {
  const Ready ready(load_text(bead(5, 1.0)));
  EquilibriumOptions options;
  options.held = {ready.held("shaft.v"), ready.held("hinge.q")};
  const Equilibrium found = find_equilibrium(ready.problem, ready.start, options);
  EXPECT_FALSE(found.found);
  EXPECT_NE(found.problem.find("no steady state near"), std::string::npos) << found.problem;
  EXPECT_GT(found.residual, 1e-3);
}

TEST(Equilibrium, WhereThereIsNone) {
  const Ready ready(
      load_text("name = \"none\"\n[variables]\n"
                "x = { initial = 0.5, rate = \"1 + x^2\" }\n"));
  const Equilibrium found = find_equilibrium(ready.problem, ready.start);
  EXPECT_FALSE(found.found);
  EXPECT_NEAR(found.state.x[0], 0, 0.05);
  EXPECT_NEAR(found.residual, 1, 1e-3);
}

TEST(Equilibrium, SearchFindsAllInABox) {
  // x' = sin x cos y, y' = y - y^3: x = k pi, y = -1, 0, 1
  const Ready ready(
      load_text("name = \"grid\"\n[variables]\n"
                "x = { initial = 0, rate = \"sin(x)\" }\n"
                "y = { initial = 0, rate = \"y - y^3\" }\n"));
  std::vector<SearchStart> starts;
  for (int i = 0; i <= 12; ++i)
    for (int j = 0; j <= 8; ++j) {
      SearchStart start{ready.start, ""};
      start.state.x = {-4 + 8.0 * i / 12, -1.5 + 3.0 * j / 8};
      starts.push_back(start);
    }
  SearchOptions options;
  options.signature = [](const State& state) { return state.x; };
  const SearchResult result = search_equilibria(ready.problem, starts, options);
  int inside = 0, stable = 0;
  for (const FoundState& found : result.states) {
    const auto& x = found.equilibrium.state.x;
    EXPECT_NEAR(std::sin(x[0]), 0, 1e-12);
    EXPECT_NEAR(x[1] - x[1] * x[1] * x[1], 0, 1e-12);
    if (std::fabs(x[0]) > 4) continue;
    ++inside;
    stable += found.linear.asymptotic;
  }
  EXPECT_EQ(inside, 9);
  EXPECT_EQ(stable, 4);
  EXPECT_EQ(result.residuals.size(), starts.size());
}

TEST(Minimisation, HangingChainFromUpright) {
  const Ready ready(load_example("four_link", "recursive", {{"tilt", pi - 0.2}}));
  std::string message;
  const auto potential =
      make_state_function(*ready.example.system, *ready.example.model, "potential", message);
  const Minimum minimum = minimise_potential(ready.problem, ready.start, *potential);
  ASSERT_TRUE(minimum.found) << minimum.problem;
  EXPECT_NEAR(minimum.potential, -50 * 9.81 * (1 + 3 + 5 + 7), 1e-6);
}

TEST(Minimisation, LeavesAMaximum) {
  const Ready ready(load_example("coupled_pendulums", "recursive", {{"together", 0}}));
  std::string message;
  const auto potential =
      make_state_function(*ready.example.system, *ready.example.model, "potential", message);
  State up = ready.start;  // the strings turned over: taut, at the top
  up.x[2] = -up.x[2];
  up.x[5] = -up.x[5];
  const Minimum minimum = minimise_potential(ready.problem, up, *potential);
  ASSERT_TRUE(minimum.found) << minimum.problem;
  EXPECT_NEAR(minimum.state.x[2], ready.start.x[2], 1e-7);
  EXPECT_NEAR(minimum.state.x[5], ready.start.x[5], 1e-7);
}

}  // namespace
}  // namespace cartan::test
