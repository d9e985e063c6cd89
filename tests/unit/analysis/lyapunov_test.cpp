// Lyapunov exponents against exact averages and published values.
#include "analysis/lyapunov.h"

#include <cmath>

#include "support.h"

namespace cartan::test {
namespace {

LyapunovResult exponents(const Example& e, double duration, double step = 0,
                         double transient = 100) {
  EXPECT_TRUE(e) << e.problem;
  LyapunovOptions options;
  options.duration = duration;
  options.transient = transient;
  options.step = step;
  LyapunovResult result = calc_lyapunov_exponents(*e.system, e.system->initial_state(), options);
  EXPECT_EQ(result.problem, "");
  return result;
}

// Of linear equations the exponents are the real parts of the eigenvalues.
TEST(Lyapunov, LinearSystem) {
  const Example e = load_text(
      "[variables]\nx = { initial = 1, rate = \"-x/2 + 3*y\" }\n"
      "y = { initial = 0, rate = \"-y\" }\nz = { initial = 1, rate = \"-3*z + x\" }\n");
  const LyapunovResult result = exponents(e, 200);
  EXPECT_NEAR(result.exponents[0], -0.5, 1e-7);
  EXPECT_NEAR(result.exponents[1], -1, 1e-7);
  EXPECT_NEAR(result.exponents[2], -3, 1e-7);
}

// The sum is the mean divergence, here constant; one exponent is zero: along the motion.
TEST(Lyapunov, LorenzSumIsTheDivergence) {
  for (double step : {0.0, 0.2}) {
    const LyapunovResult result = exponents(load_example("lorenz"), 300, step);
    const double sum = result.exponents[0] + result.exponents[1] + result.exponents[2];
    EXPECT_NEAR(sum, -(10 + 1 + 8.0 / 3), 1e-7);
    EXPECT_NEAR(result.exponents[0], 0.9056, 0.05);
    EXPECT_NEAR(result.exponents[1], 0, 0.01);
  }
}

TEST(Lyapunov, RoesslerShort) {
  const LyapunovResult result =
      exponents(load_example("roessler", "recursive", {{"a", 0.398}}), 3000);
  EXPECT_NEAR(result.exponents[0], 0.05797, 0.15 * 0.05797);
  EXPECT_NEAR(result.exponents[1], 0, 1e-3);
}

// On a stable orbit they are the logarithms of its multipliers over the period.
TEST(Lyapunov, OfAStableOrbit) {
  const LyapunovResult result = exponents(load_example("van_der_pol"), 66.6328685932313018969);
  EXPECT_NEAR(result.exponents[0], 0, 1e-7);
  EXPECT_NEAR(result.exponents[1], -7.058932808798959179 / 6.66328685932313018969, 1e-6);
}

TEST(Lyapunov, SectionPointsLieOnTheSection) {
  const Example e = load_example("roessler");
  const auto section = function_of(e, "y");
  LyapunovOptions options;
  options.duration = 100;
  options.section = section.get();
  std::vector<State> points;
  options.on_crossing = [&](const State& state) { points.push_back(state); };
  const LyapunovResult result =
      calc_lyapunov_exponents(*e.system, e.system->initial_state(), options);
  ASSERT_EQ(result.problem, "");
  EXPECT_NEAR(points.size(), 100 / 6.1746375, 1);
  for (const State& point : points) EXPECT_NEAR(point.x[1], 0, 1e-12);
  EXPECT_NEAR(points.back().x[0], 3.152548632195287254, 1e-6);  // settled on the orbit
}

// Without losses: displacements grow linearly in time, volumes stay bounded; on the constraints
// too.
TEST(Lyapunov, OfALoopWithoutLoss) {
  const LyapunovResult result = exponents(load_example("four_bar"), 20, 0, 0);
  ASSERT_EQ(result.exponents.size(), 2u);
  EXPECT_NEAR(result.exponents[0], 0, 0.4);
  EXPECT_NEAR(result.exponents[0] + result.exponents[1], 0, 0.25);
}

TEST(LongLyapunov, RoesslerWithinTwoPerCent) {
  const LyapunovResult one =
      exponents(load_example("roessler", "recursive", {{"a", 0.398}}), 150000);
  EXPECT_NEAR(one.exponents[0], 0.05797, 0.02 * 0.05797);
  EXPECT_NEAR(one.exponents[1], 0, 1e-3);
  const LyapunovResult two = exponents(
      load_example("roessler", "recursive", {{"a", 0.2}, {"b", 0.2}, {"c", 5.7}}), 150000);
  EXPECT_NEAR(two.exponents[0], 0.07145, 0.02 * 0.07145);
  EXPECT_NEAR(two.exponents[1], 0, 1e-3);
}

}  // namespace
}  // namespace cartan::test
