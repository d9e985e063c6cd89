// Orbits of twice the period, tori, collisions of multipliers.
#include "continuation_support.h"

namespace cartan::test {
namespace {

using Kind = BifurcationKind;
using Complex = std::complex<double>;

Complex nearest(const Spectrum& spectrum, Complex target) {
  Complex best = 1e300;
  for (const Complex& m : spectrum.values)
    if (std::abs(m - target) < std::abs(best - target)) best = m;
  return best;
}

// Roessler's first doubling in a (case S4.6) and the orbits born there: of twice the period, with
// the squares of the multipliers; they attract until they double in turn.
TEST(Doubling, Roessler) {
  const Example e = load_example("roessler");
  const OrbitSetting setting = orbit_setting(e, "a", 0.32, 0.38, "y");
  OrbitContinuation once(setting);
  ContinuationPoint point;
  ASSERT_EQ(once.start(e.system->initial_state(), 6, 1, point), "");
  ContinuationOptions options = branch_options(0.32, 0.38);
  options.largest_step = 0.05;
  const Branch branch = follow_branch(once, point, options);
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::period_doubling});
  const Bifurcation& doubling = branch.bifurcations[0];
  EXPECT_NEAR(doubling.at.point.parameter(), 0.334856622569910346, 1e-9);
  const double T = doubling.at.point.numbers[0];

  options.step = 1e-3;
  OrbitContinuation twice(setting);
  const Branch doubled = twice.follow_doubling(doubling, options);
  ASSERT_EQ(doubled.problem, "");
  EXPECT_TRUE(doubled.reached) << doubled.end;
  const BranchSample& first = doubled.samples.front();
  EXPECT_NEAR(first.point.parameter(), doubling.at.point.parameter(), 1e-4);
  EXPECT_GT(first.point.parameter(), doubling.at.point.parameter());
  EXPECT_NEAR(first.point.numbers[0], 2 * T, 1e-3);
  EXPECT_NEAR(std::abs(nearest(first.spectrum, 1)), 1, 1e-2);  // (-1)^2
  EXPECT_LT(std::abs(nearest(first.spectrum, 1)), 1);
  // both times around are apart, symmetrically to first order
  ASSERT_EQ(first.point.states.size(), 2u);
  using Vector = Eigen::Map<const Eigen::Vector3d>;
  const Vector a(first.point.states[0].x.data()), b(first.point.states[1].x.data()),
      middle(doubling.at.point.states[0].x.data());
  EXPECT_GT((a - b).norm(), 1e-3);
  EXPECT_LT(((a + b) / 2 - middle).norm(), 0.3 * (a - b).norm());
  ASSERT_EQ(kinds_of(doubled), std::vector{Kind::period_doubling});
  EXPECT_NEAR(doubled.bifurcations[0].at.point.parameter(), 0.374757964825, 1e-9);
  for (const BranchSample& s : doubled.samples)
    EXPECT_EQ(s.stable, s.point.parameter() < doubled.bifurcations[0].at.point.parameter());

  // what a long motion settles on at the same a
  const BranchSample* sample = nullptr;
  for (const BranchSample& s : doubled.samples)
    if (!sample && s.point.parameter() > 0.35) sample = &s;
  ASSERT_NE(sample, nullptr);
  const auto system =
      system_with(*e.model, e.model->find_parameter("a"), sample->point.parameter());
  Flow flow(*system, 0, {}, {});
  State far = sample->point.states[0];
  far.x[0] += 0.05;
  const double period = sample->point.numbers[0];
  flow.start(far, Eigen::MatrixXd(3, 0));
  ASSERT_EQ(flow.advance(far.t + 60 * period), "");
  // it is on the orbit now: after one more period it is back, after half of one it is not
  const State settled = flow.state();
  ASSERT_EQ(flow.advance(settled.t + period / 2), "");
  EXPECT_GT(std::fabs(flow.state().x[0] - settled.x[0]), 1e-2);
  ASSERT_EQ(flow.advance(settled.t + period), "");
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(flow.state().x[i], settled.x[i], 1e-6);
}

// x on a circle of period 2 pi, z = u + i v with z' = (p + i w) z - |z|^2 z: at p = 0 the pair
// exp(2 pi (p +- i w)) leaves the unit circle.
TEST(Torus, OfANormalForm) {
  const Example e = load_text(R"toml(
name = "torus"
[parameters]
p = -0.05
w = 0.3
[definitions]
g = "1 - x^2 - y^2"
h = "p - u^2 - v^2"
[variables]
x = { initial = 1, rate = "x*g - y" }
y = { initial = 0, rate = "y*g + x" }
u = { initial = 0, rate = "h*u - w*v" }
v = { initial = 0, rate = "w*u + h*v" }
)toml");
  ASSERT_TRUE(e) << e.problem;
  OrbitContinuation problem(orbit_setting(e, "p", -0.05, 0.05, "y"));
  ContinuationPoint point;
  ASSERT_EQ(problem.start(e.system->initial_state(), 6, 1, point), "");
  const Branch branch = follow_branch(problem, point, branch_options(-0.05, 0.05));
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::torus});
  const Bifurcation& at = branch.bifurcations[0];
  EXPECT_NEAR(at.at.point.parameter(), 0, 1e-11);
  EXPECT_LT(std::abs(at.critical - std::polar(1.0, 2 * std::acos(-1.0) * 0.3)), 1e-10);
  EXPECT_EQ(at.unstable_before, 0);
  EXPECT_EQ(at.unstable_after, 2);
}

// z'' - i s z' - z = 0 along a circle: exponents i (s +- sqrt(s^2 - 4)) / 2 meet at s = 2.
TEST(Krein, PairsMeetOnTheCircle) {
  const Example e = load_text(R"toml(
name = "gyroscope on a circle"
[parameters]
s = 2.2
[definitions]
g = "1 - x^2 - y^2"
[variables]
x = { initial = 1, rate = "2*x*g - 4*y" }
y = { initial = 0, rate = "2*y*g + 4*x" }
a = { initial = 0, rate = "c" }
b = { initial = 0, rate = "d" }
c = { initial = 0, rate = "a - s*d" }
d = { initial = 0, rate = "b + s*c" }
)toml");
  ASSERT_TRUE(e) << e.problem;
  OrbitContinuation problem(orbit_setting(e, "s", 2.2, 1.9, "y"));
  ContinuationPoint point;
  ASSERT_EQ(problem.start(e.system->initial_state(), 1.6, 1, point), "");
  const Branch branch = follow_branch(problem, point, branch_options(2.2, 1.9));
  ASSERT_EQ(kinds_of(branch), std::vector{Kind::krein_collision});
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), 2, 1e-9);
  const double T = std::acos(-1.0) / 2;
  EXPECT_LT(std::abs(branch.bifurcations[0].critical - std::polar(1.0, T)), 1e-6);
}

}  // namespace
}  // namespace cartan::test
