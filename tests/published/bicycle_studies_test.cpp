// The bicycle of source 004 (7.4, case S4.8): what trail and wheels do to its stability, and the
// weaving it begins where straight running is lost.
#include <functional>
#include <numbers>

#include "../unit/analysis/continuation_support.h"
#include "analysis/relative_orbits.h"
#include "analysis/tangents.h"

namespace cartan::test {
namespace {

constexpr double R = 0.354, sigma = 20.09 * std::numbers::pi / 180;
constexpr const char* speed = "R2*front_axle.v";

Settings straight(double v, const Settings& more) {
  Settings all = {{"lean", 0},     {"steer", 0}, {"pitch", 0},
                  {"yaw_rate", 0}, {"v", v},     {"rear_speed", v}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The distance b of the steering axis for a trail a: (a + b)/R = tan sigma.
Settings with_trail(double a) {
  return {{"b", R * std::tan(sigma) - a}};
}

struct Growth {
  double weave = 0;    // real part of the pair with the highest frequency
  double capsize = 1;  // product of all eigenvalues: a real one passes zero with it
  double most = -INFINITY;
};

Growth growth(double v, const Settings& more) {
  const Example e = load_example("bicycle", "recursive", straight(v, more));
  EXPECT_TRUE(e) << e.problem;
  if (!e) return {};
  const auto workspace = e.system->make_workspace();
  const Linearisation linear = linearise(*e.system, e.system->initial_state(), *workspace);
  EXPECT_EQ(linear.problem, "");
  EXPECT_GE(linear.neutral, 6);  // one more where one passes zero
  Growth result;
  double highest = -1;
  std::complex<double> product = 1;
  for (const auto& value : linear.eigenvalues) {
    if (value == std::complex<double>(0, 0)) continue;
    result.most = std::max(result.most, value.real());
    product *= value / (1 + std::abs(value));
    if (value.imag() > highest) highest = value.imag(), result.weave = value.real();
  }
  result.capsize = linear.neutral > 6 ? 0 : product.real();
  return result;
}

// Where f changes sign between a and b (false position, Illinois).
double root(const std::function<double(double)>& f, double a, double b, double width = 1e-12) {
  double fa = f(a), fb = f(b);
  EXPECT_LT(fa * fb, 0) << a << " " << b;
  if (!(fa * fb < 0)) return std::nan("");
  for (int i = 0; i < 80 && std::fabs(b - a) > width * (1 + std::fabs(b)); ++i) {
    const double c = (a * fb - b * fa) / (fb - fa), fc = f(c);
    if (fc == 0) return c;
    if (fb * fc < 0)
      a = b, fa = fb;
    else
      fa /= 2;
    b = c, fb = fc;
  }
  return b;
}

double weave_speed(const Settings& more, double low, double high) {
  return root([&](double v) { return growth(v, more).weave; }, low, high);
}
double capsize_speed(const Settings& more, double low, double high) {
  return root([&](double v) { return growth(v, more).capsize; }, low, high);
}

TEST(BicycleStudies, MoreTrailWidensTheStableRange) {
  double lower = 0, upper = 0;
  for (const double trail : {0.02, 0.0814755495116001, 0.12, 0.16}) {
    const double weave = weave_speed(with_trail(trail), 2, 3.6);
    const double capsize = capsize_speed(with_trail(trail), 2.2, 14);
    EXPECT_GT(capsize - weave, upper - lower) << trail;
    lower = weave, upper = capsize;
    if (trail > 0.08 && trail < 0.09) {
      EXPECT_NEAR(weave, 3.20654620778209, 1e-10);
      EXPECT_NEAR(capsize, 5.39624933842446, 1e-10);
    }
  }
}

// The trail above which there is no upper limit: 1/v^2 of the capsize speed reaches zero.
TEST(BicycleStudies, TrailWithoutAnUpperLimit) {
  const auto trail_at = [](double v) {
    return root([&](double a) { return growth(v, with_trail(a)).capsize; }, 0.19, 0.2);
  };
  // a(v) = a + k/v^2 + ..
  const double a1 = trail_at(100), a2 = trail_at(200);
  const double limit = a2 + (a2 - a1) / 3;
  EXPECT_NEAR(limit, 0.195635088112001, 1e-8);
  EXPECT_NEAR(limit, 0.19567, 5e-5);  // printed, of the geometry before rounding
  EXPECT_NEAR(weave_speed(with_trail(0.195635088112001), 3.3, 3.8), 3.563900292817, 1e-9);
}

// Where both limits meet nothing is left of the stable range.
TEST(BicycleStudies, TrailWithoutAStableRange) {
  const auto width = [](double a) {
    return capsize_speed(with_trail(a), 1.8, 2.6) - weave_speed(with_trail(a), 1.8, 2.6);
  };
  const double trail = root(width, -0.01, 0, 1e-11);
  EXPECT_NEAR(trail, -0.00658527185139582, 1e-9);
  EXPECT_NEAR(trail, -0.006588, 3e-6);
  EXPECT_NEAR(weave_speed(with_trail(trail), 1.8, 2.6), 2.1314, 5e-5);
}

// Below -0.0487 the largest real part grows with the speed, above it goes to zero.
TEST(BicycleStudies, TrailWithGrowthThatGrows) {
  const double limit = -0.0486874901787696;
  const auto ratio = [](double a) {
    return growth(4000, with_trail(a)).most / growth(2000, with_trail(a)).most;
  };
  EXPECT_NEAR(ratio(limit - 5e-5), 2, 0.05);
  EXPECT_NEAR(ratio(limit + 5e-5), 0.5, 0.05);
}

TEST(BicycleStudies, WheelInertia) {
  const Settings light = {{"jm", 0.01}};
  EXPECT_NEAR(weave_speed(light, 22, 25), 23.4857, 5e-5);
  EXPECT_NEAR(capsize_speed(light, 60, 70), 66.0903, 5e-5);
  EXPECT_TRUE(growth(40, light).most < 0);
  // none at all is refused (the spin of a wheel would meet no inertia): as good as none
  const double none[][2] = {{5, 1.44}, {50, 0.116}, {100, 0.0579}};
  for (const auto& [v, most] : none)
    EXPECT_NEAR(growth(v, {{"jm", 1e-9}}).most / most, 1, 5e-3) << v;
  double lower = 100, upper = 100;  // heavier rims: both limits come down
  for (const double jm : {0.05, 0.2, 0.6, 1.5}) {
    const double weave = weave_speed({{"jm", jm}}, 2.5, 12);
    const double capsize = capsize_speed({{"jm", jm}}, 4.5, 40);
    EXPECT_LT(weave, lower);
    EXPECT_LT(capsize, upper);
    lower = weave, upper = capsize;
  }
  EXPECT_NEAR(lower, 3.20654620778209, 1e-10);
}

// At the weave speed orbits are born that close up to the way gone, the heading and the turns of
// the wheels. They attract, below that speed: at a mean front speed of 3.180 m/s (3.199) the lean
// reaches 0.1018 (0.0555) and the steer 0.1625 (0.0884), which the references saw simulations
// settle on.
TEST(BicycleStudies, WeavingIsBornSupercritically) {
  const Example e = load_example("bicycle", "recursive", straight(3.3, {}));
  ASSERT_TRUE(e) << e.problem;
  constexpr double from = 3.25, to = 3.18;
  SteadyBranch problem(steady_family(e, speed, from, to));
  ContinuationOptions options = branch_options(from, to);
  options.largest_step = 0.2;
  const Branch branch = branch_of(problem, e, options);
  ASSERT_EQ(kinds_of(branch), std::vector{BifurcationKind::hopf});
  const Bifurcation& hopf = branch.bifurcations[0];
  const Linearisation linear = problem.linearise_at(hopf.at.point);
  RelativeOrbitSetting setting;
  ASSERT_EQ(RelativeOrbits::choose(problem, linear.state, linear.neutral, setting), "");
  EXPECT_EQ(setting.families, 1);  // energy
  EXPECT_EQ(setting.symmetries.count(), 5);
  setting.flow.tolerance = 1e-11;
  RelativeOrbits orbits(std::move(setting));
  const Branch weaving = orbits.follow_hopf(hopf, linear, options);
  ASSERT_EQ(weaving.problem, "");
  EXPECT_TRUE(weaving.reached) << weaving.end;
  EXPECT_TRUE(weaving.bifurcations.empty());
  EXPECT_LT(weaving.slope, 0);
  for (const BranchSample& s : weaving.samples) {
    EXPECT_TRUE(s.stable) << s.point.parameter();
    EXPECT_EQ(s.spectrum.values.size(), 3u);
  }
  const BranchSample& last = weaving.samples.back();
  EXPECT_NEAR(last.point.parameter(), 3.18, 1e-12);
  const double period = last.point.numbers[0];
  Flow flow(*e.system, 0, {}, {});
  flow.start(last.point.states[0], Eigen::MatrixXd(tangent_numbers(*e.system), 0));
  double steer = 0, lean = 0;
  for (int i = 1; i <= 200; ++i) {
    ASSERT_EQ(flow.advance(last.point.states[0].t + period * i / 200), "");
    const Observation now = observe(e.mechanism(), flow.state());
    steer = std::max(steer, std::fabs(now.q[e.model->find_joint("steering")][0]));
    const BodyState& frame = now.bodies[e.model->find_body("frame")];
    lean = std::max(lean, std::fabs(std::asin(rotation_matrix(frame.orientation).c[1].z)));
  }
  EXPECT_NEAR(steer, 0.1625, 2e-3);
  EXPECT_NEAR(lean, 0.1018, 1.5e-3);
}

}  // namespace
}  // namespace cartan::test
