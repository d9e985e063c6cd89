// Branches and bifurcations of source 004: the bicycle's straight running and steady turns (case
// S4.8, figure 7.6; speeds are those of the front wheel, R2 u5) and Roessler's orbits (S4.6).
#include <chrono>

#include "../unit/analysis/continuation_support.h"

namespace cartan::test {
namespace {

using Kind = BifurcationKind;

const Settings upright = {{"lean", 0}, {"steer", 0}, {"pitch", 0}, {"yaw_rate", 0}};
constexpr const char* branch_speed = "R2*front_axle.v";

int steering_number(const Example& e) {
  for (int i = 0;; ++i)
    if (e.system->component_name(i) == "steering.q0") return i;
}

TEST(PublishedBranches, StraightRunningOfTheBicycle) {
  const Example e = load_example("bicycle", "recursive", upright);
  ASSERT_TRUE(e) << e.problem;
  SteadyBranch problem(steady_family(e, branch_speed, 2.5, 6));
  const ContinuationOptions options = branch_options(2.5, 6);
  const Branch branch = branch_of(problem, e, options);
  ASSERT_EQ(kinds_of(branch), (std::vector{Kind::hopf, Kind::branch_point}));
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), 3.20654620778209, 1e-10);
  EXPECT_NEAR(branch.bifurcations[1].at.point.parameter(), 5.39624933842446, 1e-10);
  for (const BranchSample& s : branch.samples) {
    const double v = s.point.parameter();
    EXPECT_EQ(s.stable, v > 3.2065462 && v < 5.3962494) << v;
    EXPECT_EQ(s.spectrum.neutral, 6);
  }
}

// The turns that leave straight running at the pitchfork, which is subcritical: they are unstable
// at lower speeds (s4_8_turns.csv).
TEST(PublishedBranches, TurnsFromThePitchfork) {
  const Example e = load_example("bicycle", "recursive", upright);
  SteadyBranch problem(steady_family(e, branch_speed, 1, 6));
  const ContinuationOptions options = branch_options(1, 6);
  const Branch branch = branch_of(problem, e, options);
  ASSERT_EQ(kinds_of(branch), (std::vector{Kind::hopf, Kind::branch_point}));
  const std::vector<Branch> arms = switch_branch(problem, branch.bifurcations[1], options);
  ASSERT_EQ(arms.size(), 2u);
  const int steering = steering_number(e);
  for (const Branch& arm : arms) {
    EXPECT_TRUE(arm.bifurcations.empty());
    const BranchSample& last = arm.samples.back();
    EXPECT_NEAR(last.point.parameter(), 1, 1e-14);
    EXPECT_NEAR(std::fabs(last.point.states[0].x[steering]), 1.182983811524581, 1e-9);
    double most = 0;
    for (const auto& value : last.spectrum.values) most = std::max(most, value.real());
    EXPECT_NEAR(most, 4.6000397190, 1e-8);
    for (std::size_t i = 1; i < arm.samples.size(); ++i) EXPECT_FALSE(arm.samples[i].stable);
  }
}

// The other turns: one branch with all three saddle-nodes, 500 points of it.
TEST(PublishedBranches, SaddleNodesOfTheTurns) {
  const Example e = load_example(
      "bicycle", "recursive",
      {{"lean", 0.85}, {"steer", 0.34}, {"v", 6}, {"yaw_rate", 2.55}, {"rear_speed", 5.25}});
  ASSERT_TRUE(e) << e.problem;
  SteadyBranch problem(steady_family(e, branch_speed, 6, 2));
  ContinuationOptions options = branch_options(6, 2);
  options.largest_step = 0.012;
  const auto begin = std::chrono::steady_clock::now();
  const Branch branch = branch_of(problem, e, options);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const int steering = steering_number(e);
  const std::vector<std::pair<double, double>> expected = {{2.17931786138937, 1.706312907677047},
                                                           {3.81193660986828, 2.586364863053530},
                                                           {3.24508553570964, 2.163248682288320}};
  std::vector<std::pair<double, double>> folds;
  for (const Bifurcation& one : branch.bifurcations) {
    EXPECT_NE(one.kind, Kind::branch_point);
    if (one.kind == Kind::fold)
      folds.push_back({one.at.point.parameter(), one.at.point.states[0].x[steering]});
  }
  ASSERT_EQ(folds.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(folds[k].first, expected[k].first, 1e-9);
    EXPECT_NEAR(folds[k].second, expected[k].second, 1e-6);
  }
  EXPECT_GT(branch.samples.size(), 450u);
  EXPECT_LT(seconds, 10);
  EXPECT_NEAR(branch.samples.back().point.states[0].x[steering], 1.754493366589553, 1e-9);
}

TEST(PublishedBranches, FirstPeriodDoublingOfRoessler) {
  const Example e = load_example("roessler");
  OrbitContinuation problem(orbit_setting(e, "a", 0.3, 0.36, "y"));
  ContinuationPoint point;
  ASSERT_EQ(problem.start(e.system->initial_state(), 6, 1, point), "");
  ContinuationOptions options = branch_options(0.3, 0.36);
  options.largest_step = 0.1;
  const Branch branch = follow_branch(problem, point, options);
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::period_doubling});
  const ContinuationPoint& at = branch.bifurcations[0].at.point;
  EXPECT_NEAR(at.parameter(), 0.334856622569910346, 1e-11);
  EXPECT_NEAR(OrbitContinuation::period_of(at), 6.17993398120909453, 1e-10);
  EXPECT_NEAR(at.states[0].x[0], 3.14026274890337449, 1e-10);
  EXPECT_TRUE(branch.samples.front().stable);
  EXPECT_FALSE(branch.samples.back().stable);
}

}  // namespace
}  // namespace cartan::test
