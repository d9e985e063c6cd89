// Branches of steady states: normal forms, whose bifurcations are known, and mechanisms.
#include "analysis/continuation.h"

#include "continuation_support.h"
#include "report/chart.h"
#include "report/chart_axis.h"

namespace cartan::test {
namespace {

using Kind = BifurcationKind;

std::string one_variable(const std::string& rate, double initial) {
  return "name = \"normal form\"\n[parameters]\np = 1\n[variables]\nx = { initial = " +
         std::to_string(initial) + ", rate = \"" + rate + "\" }\n";
}

TEST(Continuation, SaddleNode) {
  const Example e = load_text(one_variable("p - x^2", 1));
  ASSERT_TRUE(e) << e.problem;
  SteadyBranch problem(steady_family(e, "p", 1, -0.5));
  const Branch branch = branch_of(problem, e, branch_options(1, -0.5));
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::fold});
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), 0, 1e-11);
  EXPECT_NEAR(branch.bifurcations[0].at.point.states[0].x[0], 0, 1e-6);
  EXPECT_EQ(branch.bifurcations[0].unstable_before, 0);
  EXPECT_EQ(branch.bifurcations[0].unstable_after, 1);
  EXPECT_FALSE(branch.reached);  // it comes back on the other side
  EXPECT_NEAR(branch.samples.back().point.parameter(), 1, 1e-14);
  EXPECT_NEAR(branch.samples.back().point.states[0].x[0], -1, 1e-11);
  for (const BranchSample& s : branch.samples) {
    const double x = s.point.states[0].x[0], p = s.point.parameter();
    EXPECT_NEAR(x * x, p, 1e-10);
    ASSERT_EQ(s.spectrum.values.size(), 1u);
    EXPECT_NEAR(s.spectrum.values[0].real(), -2 * x, 1e-10);
    EXPECT_EQ(s.stable, x > 0);
  }
}

TEST(Continuation, PitchforkWithBothArms) {
  const Example e = load_text(one_variable("p*x - x^3", 0));
  SteadyBranch problem(steady_family(e, "p", -1, 1));
  const ContinuationOptions options = branch_options(-1, 1);
  const Branch branch = branch_of(problem, e, options);
  EXPECT_TRUE(branch.reached);
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::branch_point});
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), 0, 1e-10);
  const std::vector<Branch> arms = switch_branch(problem, branch.bifurcations[0], options);
  ASSERT_EQ(arms.size(), 2u);
  double ends = 0;
  for (const Branch& arm : arms) {
    EXPECT_TRUE(arm.bifurcations.empty());
    EXPECT_TRUE(arm.reached) << arm.end;
    EXPECT_TRUE(arm.samples.back().stable);
    EXPECT_NEAR(std::fabs(arm.samples.back().point.states[0].x[0]), 1, 1e-10);
    ends += arm.samples.back().point.states[0].x[0];
  }
  EXPECT_NEAR(ends, 0, 1e-9);  // one up, one down
}

// x = 0 and x = p cross; the other branch is not orthogonal to the first.
TEST(Continuation, Transcritical) {
  const Example e = load_text(one_variable("p*x - x^2", 0));
  SteadyBranch problem(steady_family(e, "p", -1, 1));
  const ContinuationOptions options = branch_options(-1, 1);
  const Branch branch = branch_of(problem, e, options);
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::branch_point});
  const std::vector<Branch> arms = switch_branch(problem, branch.bifurcations[0], options);
  ASSERT_EQ(arms.size(), 2u);
  for (const Branch& arm : arms) {
    EXPECT_TRUE(arm.bifurcations.empty());
    for (std::size_t i = 1; i < arm.samples.size(); ++i)
      EXPECT_NEAR(arm.samples[i].point.states[0].x[0], arm.samples[i].point.parameter(), 1e-9);
  }
}

// The curved arm of a pitchfork passes through the branch point itself.
TEST(Continuation, CurvedArmThroughAPitchfork) {
  const Example e = load_text(one_variable("p*x - x^3", 1));
  SteadyBranch problem(steady_family(e, "p", 1, -1));
  const Branch branch = branch_of(problem, e, branch_options(1, -1));
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::branch_point});
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), 0, 1e-6);
  EXPECT_NEAR(branch.samples.back().point.states[0].x[0], -1, 1e-9);
}

std::string hopf_model(double sign, double p, double other) {
  return "name = \"hopf\"\n[parameters]\np = " + std::to_string(p) +
         "\nomega = 2\ns = " + std::to_string(sign) + "\nother = " + std::to_string(other) +
         R"toml(
[definitions]
g = "p + s*(x^2 + y^2)"
[variables]
x = { initial = 0, rate = "g*x - omega*y" }
y = { initial = 0, rate = "omega*x + g*y" }
z = { initial = 0, rate = "other*z" }
)toml";
}

// Circles of radius sqrt(-p/s), period 2 pi / omega, multiplier exp(-2 p T).
TEST(Continuation, HopfBothWays) {
  for (const double sign : {-1.0, 1.0}) {
    const Example e = load_text(hopf_model(sign, -0.5, -1));
    ASSERT_TRUE(e) << e.problem;
    SteadyBranch problem(steady_family(e, "p", -0.5, 0.5));
    const ContinuationOptions options = branch_options(-0.5, 0.5);
    const Branch branch = branch_of(problem, e, options);
    ASSERT_EQ(kinds_of(branch), std::vector{Kind::hopf});
    const Bifurcation& hopf = branch.bifurcations[0];
    EXPECT_NEAR(hopf.at.point.parameter(), 0, 1e-12);
    EXPECT_NEAR(hopf.critical.imag(), 2, 1e-12);
    OrbitContinuation orbits(orbit_setting(e, "p", -0.5, 0.5));
    const Branch born = orbits.follow_hopf(hopf, problem.linearise_at(hopf.at.point), options);
    ASSERT_EQ(born.problem, "");
    ASSERT_GT(born.samples.size(), 5u);
    EXPECT_TRUE(born.bifurcations.empty());
    EXPECT_EQ(born.reached, sign < 0);
    for (const BranchSample& s : born.samples) {
      const double p = s.point.parameter(), T = OrbitContinuation::period_of(s.point);
      EXPECT_NEAR(std::hypot(s.point.states[0].x[0], s.point.states[0].x[1]), std::sqrt(-p / sign),
                  1e-8);
      EXPECT_NEAR(T, std::acos(-1.0), 1e-7);
      EXPECT_EQ(s.stable, sign < 0);
      ASSERT_EQ(s.spectrum.values.size(), 2u);
      EXPECT_NEAR(s.spectrum.growth(s.spectrum.values[0]), -2 * p * T, 1e-6);
    }
  }
}

// A pendulum on a turning shaft: the speed of the shaft as the parameter. At sqrt(g/l) the bob
// leaves the axis; no losses, so that eigenvalues leave the imaginary axis through zero.
TEST(Continuation, PendulumOnATurningShaft) {
  const Example e = load_text(R"(
name = "bead"
gravity = [0, 0, -10]
[[body]]
name = "shaft"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "bob"
mass = 1
com = [0, 0, -1]
[[joint]]
name = "shaft"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "shaft" }
velocity = 2
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "shaft" }
child = { body = "bob" }
)");
  ASSERT_TRUE(e) << e.problem;
  SteadyBranch problem(steady_family(e, "shaft.v", 2, 5));
  const ContinuationOptions options = branch_options(2, 5);
  const Branch branch = branch_of(problem, e, options);
  EXPECT_EQ(problem.held(), std::vector<std::string>{"shaft.q0"});
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::branch_point});
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), std::sqrt(10.0), 1e-9);
  EXPECT_TRUE(branch.samples.front().stable);
  EXPECT_FALSE(branch.samples.back().stable);
  const std::vector<Branch> arms = switch_branch(problem, branch.bifurcations[0], options);
  ASSERT_EQ(arms.size(), 2u);
  for (const Branch& arm : arms) {
    EXPECT_TRUE(arm.reached) << arm.end;
    EXPECT_TRUE(arm.samples.back().stable);
    EXPECT_NEAR(std::cos(arm.samples.back().point.states[0].x[1]), 10.0 / 25, 1e-10);
  }
}

// The matrix against differences, every column, with a loop, a parameter in forces, masses and
// constraints, and something held that contains it.
TEST(Continuation, MatrixIsExact) {
  struct Case {
    const char *example, *parameter;
    std::vector<std::string> holds;
    double from, to;
  };
  for (const Case& c : {Case{"governor", "L", {"bearing.v"}, 0, 0},
                        Case{"bicycle", "b", {"R2*front_axle.v + b"}, 0, 0},
                        Case{"bicycle", "R2*front_axle.v", {}, 5, 5.5}}) {
    const Settings straight = {
        {"lean", 0}, {"steer", 0}, {"pitch", 0}, {"yaw_rate", 0}, {"rear_speed", 5}};
    const Example e = load_example(c.example, "recursive",
                                   std::string(c.example) == "bicycle" ? straight : Settings{});
    ASSERT_TRUE(e) << e.problem;
    const int index = e.model->find_parameter(c.parameter);
    const double from = index >= 0 ? parameter_values(*e.model)[index] : c.from;
    SteadyBranch problem(
        steady_family(e, c.parameter, from, index >= 0 ? 1.1 * from : c.to, c.holds));
    ContinuationPoint point;
    ASSERT_EQ(problem.start(e.system->initial_state(), point), "") << c.example;
    const auto at = problem.linearise(point);
    ASSERT_EQ(at.problem, "");
    const Eigen::Index k = point.numbers.size() - 1;
    SCOPED_TRACE(std::string(c.example) + " " + c.parameter);
    expect_exact_matrix(problem, point, at.residual.size() - k, 1e-3, 1e-9);
  }
}

TEST(Continuation, FailuresAreTold) {
  const Example none = load_text(one_variable("1 + x^2 + p", 0));
  SteadyBranch nowhere(steady_family(none, "p", 1, 2));
  ContinuationPoint point;
  EXPECT_NE(nowhere.start(none.system->initial_state(), point).find("no branch to follow at p = 1"),
            std::string::npos);
  const Example still = load_text(
      "name = \"still\"\n[parameters]\np = 1\n[variables]\nx = { initial = \"p\", rate = \"-x\" "
      "}\n");
  SteadyBranch without(steady_family(still, "p", 1, 2));
  EXPECT_NE(without.start(still.system->initial_state(), point).find("do not depend on 'p'"),
            std::string::npos);
  // an equilibrium that stands alone has no free value
  SteadyBranch alone(steady_family(still, "x", 0, 1));
  ASSERT_EQ(alone.start(still.system->initial_state(), point), "");
  EXPECT_NE(follow_branch(alone, point, branch_options(0, 1)).problem.find("stands alone"),
            std::string::npos);
  // sqrt ends at p = 0: the branch x = sqrt(p) cannot go on
  const Example end = load_text(one_variable("sqrt(p) - x", 1));
  SteadyBranch ends(steady_family(end, "p", 1, -1));
  const Branch branch = branch_of(ends, end, branch_options(1, -1));
  EXPECT_TRUE(branch.failed);
  EXPECT_NE(branch.end.find("could not be followed"), std::string::npos) << branch.end;
}

TEST(Continuation, PointsAreLimited) {
  const Example e = load_text(one_variable("p - x", 1));
  SteadyBranch problem(steady_family(e, "p", 1, 2));
  const Branch branch = branch_of(problem, e, branch_options(1, 2, 7));
  EXPECT_EQ(branch.samples.size(), 7u);
  EXPECT_NE(branch.end.find("7 points"), std::string::npos);
}

TEST(Chart, TicksAreRoundAndInside) {
  EXPECT_EQ(chart_ticks(0.1, 1.05, 5), (std::vector<double>{0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_TRUE(chart_ticks(1, 1, 5).empty());
}

TEST(Chart, LinesMarksAndLabels) {
  Chart chart;
  chart.title = "a < b";
  chart.x_label = "speed [m/s]";
  chart.lines = {{{{0, 0}, {1, 1}}, false, 0}, {{{1, 1}, {2, std::nan("")}}, true, 1}};
  chart.marks = {{1, 1, "hopf"}};
  const std::string svg = chart_svg(chart);
  for (const char* part : {"a &lt; b", "speed [m/s]", "stroke-dasharray", ">hopf<", "</svg>"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace cartan::test
