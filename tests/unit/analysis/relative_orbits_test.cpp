// Orbits up to symmetries.
#include "analysis/relative_orbits.h"

#include "continuation_support.h"

namespace cartan::test {
namespace {

using Kind = BifurcationKind;

// A circle of radius r = sqrt(p/s) while the phase goes on with 1 + r^2, which nothing depends on:
// c = 1 + p/s, period pi, multiplier exp(-2 p T).
TEST(RelativeOrbits, BesideAPhase) {
  for (const double s : {0.5, -0.5}) {
    const Example e =
        load_text("name = \"phase\"\n[parameters]\np = -0.2\ns = " + std::to_string(s) + R"toml(
[definitions]
r2 = "x^2 + y^2"
[variables]
phase = { initial = 0, rate = "1 + r2" }
x = { initial = 0, rate = "(p - s*r2)*x - 2*y" }
y = { initial = 0, rate = "2*x + (p - s*r2)*y" }
)toml");
    ASSERT_TRUE(e) << e.problem;
    SteadyBranch problem(steady_family(e, "p", -0.2, 0.2));
    ContinuationOptions options = branch_options(-0.2, 0.2);
    options.largest_step = 0.05;
    const Branch branch = branch_of(problem, e, options);
    ASSERT_EQ(kinds_of(branch), std::vector{Kind::hopf});
    const Linearisation linear = problem.linearise_at(branch.bifurcations[0].at.point);
    RelativeOrbitSetting setting;
    ASSERT_EQ(RelativeOrbits::choose(problem, linear.state, linear.neutral, setting), "");
    EXPECT_EQ(setting.families, 0);
    RelativeOrbits orbits(std::move(setting));
    const Branch born = orbits.follow_hopf(branch.bifurcations[0], linear, options);
    ASSERT_EQ(born.problem, "");
    EXPECT_TRUE(born.bifurcations.empty());
    EXPECT_NEAR(born.slope, s, 1e-6);
    ASSERT_GT(born.samples.size(), 4u);
    for (const BranchSample& sample : born.samples) {
      const double p = sample.point.parameter(), T = sample.point.numbers[0];
      EXPECT_NEAR(T, std::acos(-1.0), 1e-9);
      EXPECT_NEAR(sample.point.numbers[1], 1 + p / s, 1e-9);
      ASSERT_EQ(sample.spectrum.values.size(), 1u);
      EXPECT_NEAR(std::log(sample.spectrum.values[0].real()), -2 * p * T, 1e-8);
      EXPECT_EQ(sample.stable, s > 0);
    }
    expect_exact_matrix(orbits, born.samples[2].point, -1, 1e-3, 1e-8);
  }
}

// The bicycle's equations: quaternion, rolling, symmetries that do not commute, an average.
TEST(RelativeOrbits, MatrixIsExactForTheBicycle) {
  const Example e = load_example(
      "bicycle", "recursive",
      {{"lean", 0}, {"steer", 0}, {"pitch", 0}, {"yaw_rate", 0}, {"v", 3.2}, {"rear_speed", 3.2}});
  ASSERT_TRUE(e) << e.problem;
  SteadyBranch problem(steady_family(e, "R2*front_axle.v", 3.2, 3.1));
  ContinuationPoint start;
  ASSERT_EQ(problem.start(e.system->initial_state(), start), "");
  const Linearisation linear = problem.linearise_at(start);
  RelativeOrbitSetting setting;
  ASSERT_EQ(RelativeOrbits::choose(problem, linear.state, linear.neutral, setting), "");
  setting.flow.tolerance = 1e-12;
  RelativeOrbits orbits(std::move(setting));
  ContinuationPoint point;
  point.states = {linear.state};
  point.numbers.resize(linear.c.size() + 2);
  point.numbers << 0.4, linear.c, 3.2;
  // A steady motion closes for every period. Where it does, the matrix is exact though the basis of
  // its rows turns with the state; the last row, x keeps its place, has no meaning there.
  expect_exact_matrix(orbits, point, -1, 1e-3, 1e-8);
}

}  // namespace
}  // namespace cartan::test
