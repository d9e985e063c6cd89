// Branches of orbits: the exactness of their equations, bifurcations, ends.
#include "analysis/orbit_continuation.h"

#include "continuation_support.h"

namespace cartan::test {
namespace {

using Kind = BifurcationKind;

void expect_exact(OrbitContinuation& problem, const ContinuationPoint& point) {
  expect_exact_matrix(problem, point, problem.linearise(point).residual.size(), 2e-3, 1e-8);
}

TEST(OrbitContinuation, MatrixIsExact) {
  const Example e = load_example("roessler");
  for (const int nodes : {1, 3}) {
    OrbitContinuation problem(orbit_setting(e, "a", 0.3, 0.36, "y - a"));
    ContinuationPoint point;
    ASSERT_EQ(problem.start(e.system->initial_state(), 6, nodes, point), "");
    expect_exact(problem, point);
  }
}

TEST(OrbitContinuation, MatrixIsExactWhereThePeriodFollows) {
  const Example e = load_example("duffing", "recursive", {{"drive", 0.2}});
  OrbitSetting setting = orbit_setting(e, "omega", 1.2, 1.4);
  setting.family.options.problem.driven = true;
  setting.period = [](double p, double& slope) {
    slope = -2 * std::acos(-1.0) / (p * p);
    return 2 * std::acos(-1.0) / p;
  };
  OrbitContinuation problem(std::move(setting));
  ContinuationPoint point;
  ASSERT_EQ(problem.start(e.system->initial_state(), 2 * std::acos(-1.0) / 1.2, 1, point), "");
  expect_exact(problem, point);
}

// The product of the multipliers is exp(-damping T): a pair leaves the unit circle where the
// damping is zero.
TEST(OrbitContinuation, Torus) {
  const Example e = load_example("duffing", "recursive", {{"drive", 0.05}, {"damping", 0.1}});
  OrbitSetting setting = orbit_setting(e, "damping", 0.1, -0.06);
  setting.family.options.problem.driven = true;
  OrbitContinuation problem(std::move(setting));
  ContinuationPoint point;
  ASSERT_EQ(problem.start(e.system->initial_state(), 2 * std::acos(-1.0) / 1.2, 1, point), "");
  const Branch branch = follow_branch(problem, point, branch_options(0.1, -0.06));
  EXPECT_TRUE(branch.reached) << branch.end;
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::torus});
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), 0, 1e-10);
  EXPECT_NEAR(std::abs(branch.bifurcations[0].critical), 1, 1e-10);
}

// Circles r^2 = 1 +- sqrt(a): both arms meet in a fold at a = 0. On the inner arm, at a = 1, the
// circle shrinks to nothing.
TEST(OrbitContinuation, FoldOfCirclesAndTheirEnd) {
  const Example e = load_text(R"toml(
name = "fold of circles"
[parameters]
a = 0.04
[definitions]
g = "a - (x^2 + y^2 - 1)^2"
[variables]
x = { initial = 1.1, rate = "x*g - y" }
y = { initial = 0, rate = "y*g + x" }
)toml");
  ASSERT_TRUE(e) << e.problem;
  OrbitSetting setting = orbit_setting(e, "a", 0.04, -1, "y");
  OrbitContinuation problem(std::move(setting));
  ContinuationPoint point;
  ASSERT_EQ(problem.start(e.system->initial_state(), 6, 1, point), "");
  ContinuationOptions options = branch_options(0.04, -1);
  const Branch branch = follow_branch(problem, point, options);
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::fold});
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), 0, 1e-10);
  EXPECT_TRUE(branch.samples.front().stable);
  EXPECT_FALSE(branch.samples.back().stable);
  EXPECT_FALSE(branch.reached);
  // now along the inner arm until it ends
  ContinuationPoint inner = branch.samples.back().point;
  OrbitContinuation onward(orbit_setting(e, "a", 0.04, 2, "y"));
  const Branch shrinking = follow_branch(onward, inner, branch_options(0.04, 2));
  EXPECT_NE(shrinking.end.find("Hopf point"), std::string::npos) << shrinking.end;
  EXPECT_NEAR(shrinking.samples.back().point.parameter(), 1, 0.01);
}

}  // namespace
}  // namespace cartan::test
