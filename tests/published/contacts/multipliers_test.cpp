// Multipliers and bifurcations of motions with impacts against the reference cases C1.g, C3 to C5.
#include <algorithm>
#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "analysis/flow.h"
#include "analysis/orbit_continuation.h"
#include "analysis/tangents.h"
#include "core/dense.h"
#include "published/contacts/contact_branches.h"

namespace cartan::test {
namespace {

void expect_pair(const Orbit& orbit, std::complex<double> first, std::complex<double> second) {
  ASSERT_EQ(orbit.multipliers.size(), 2u);
  const std::complex<double> a = orbit.multipliers[0], b = orbit.multipliers[1];
  const double straight = std::max(std::abs(a - first), std::abs(b - second));
  const double crossed = std::max(std::abs(a - second), std::abs(b - first));
  EXPECT_LT(std::min(straight, crossed), 1e-8)
      << a.real() << " " << a.imag() << ", " << b.real() << " " << b.imag();
}

// C3: what reference cases have besides those of analyses_test.cpp
TEST(ContactAnalyses, MoreImpactOscillators) {
  struct Case {
    double z, d, r, w, v, psi;
    int n;
    std::complex<double> first, second;
  };
  using C = std::complex<double>;
  const Case cases[] = {
      {0.1, 0, 0.7, 2.0, 2.342601149555805, 1.484794860400945, 1, C(0.52900469865975, 0),
       C(0.494152821887838, 0)},
      {0.1, 0, 0.7, 2.5, 0.6434599413868707, 2.714964311687317, 1,
       C(-0.125684946247904, 0.529731394237829), C(-0.125684946247904, -0.529731394237829)},
      {0.05, 0.5, 0.8, 1.5, 2.339109183737475, 0.393290586125633, 1,
       C(0.213068087572993, 0.6128487595669), C(0.213068087572993, -0.6128487595669)},
      {0.05, 0.5, 0.8, 1.8, 4.059162910900169, 1.18998088690877, 1,
       C(0.640441981227713, 0.203115594587243), C(0.640441981227713, -0.203115594587243)},
      {0.05, 0.5, 0.8, 2.7, 0.7616175646734853, 0.5940362552706344, 2,
       C(-0.266981869571056, 0.574941636818889), C(-0.266981869571056, -0.574941636818889)},
      {0.05, 0.5, 0.8, 2.7, 0.4248713760392484, 2.760509257726988, 2, C(4.78799674597495, 0),
       C(0.0839259560411034, 0)}};
  for (const Case& c : cases) {
    const Example example = load_example("impact_oscillator", "recursive",
                                         {{"z", c.z}, {"d", c.d}, {"r", c.r}, {"w", c.w}});
    ASSERT_TRUE(example) << example.problem;
    const MechanicalSystem& system = example.mechanism();
    const State start = system.make_state(c.psi / c.w, {{std::vector<double>{c.d}}},
                                          {{std::vector<double>{-c.r * c.v}}});
    OrbitOptions options;
    options.period = turn * c.n / c.w;
    options.problem.driven = true;
    const Orbit orbit = find_orbit(system, later(system, start, options.period / 2), options);
    ASSERT_TRUE(orbit.found()) << orbit.problem;
    expect_pair(orbit, c.first, c.second);
  }
}

double place_of(const Branch& branch, BifurcationKind kind) {
  for (const Bifurcation& b : branch.bifurcations)
    if (b.kind == kind) return b.at.point.parameter();
  ADD_FAILURE() << "none: " << branch.end << " " << branch.problem;
  return 0;
}

TEST(ContactAnalyses, BifurcationsOfTheImpactOscillator) {
  const Example a = load_example("impact_oscillator", "recursive", {{"w", 2.5}});
  const Branch one = follow_oscillator(a, 2.5, 2.8, 2.714964311687317, 0.6434599413868707, 1, 0.1);
  EXPECT_NEAR(place_of(one, BifurcationKind::period_doubling), 2.6716257426350874, 1e-8);
  const Example a2 = load_example("impact_oscillator", "recursive", {{"w", 3.6}});
  const Branch two =
      follow_oscillator(a2, 3.6, 3.2, 0.5027213640016491, 0.5094427222247706, 2, 0.1);
  EXPECT_NEAR(place_of(two, BifurcationKind::period_doubling), 3.2957868954339256, 1e-8);
  const Settings b = {{"z", 0.05}, {"d", 0.5}, {"r", 0.8}};
  Settings settings = b;
  settings.push_back({"w", 1.8});
  const Example b1 = load_example("impact_oscillator", "recursive", settings);
  const Branch fold = follow_oscillator(b1, 1.8, 2.0, 1.18998088690877, 4.059162910900169, 1, 0.1);
  EXPECT_NEAR(place_of(fold, BifurcationKind::fold), 1.8929790976609645, 1e-8);
  settings.back().second = 2.7;
  const Example b2 = load_example("impact_oscillator", "recursive", settings);
  const Branch down =
      follow_oscillator(b2, 2.7, 2.4, 0.5940362552706344, 0.7616175646734853, 2, 0.1);
  EXPECT_NEAR(place_of(down, BifurcationKind::period_doubling), 2.4512107812777701, 1e-8);
  const Branch up = follow_oscillator(b2, 2.7, 3.5, 0.5940362552706344, 0.7616175646734853, 2, 0.2);
  EXPECT_NEAR(place_of(up, BifurcationKind::fold), 3.2945248843870321, 1e-8);
}

// C1.g: one impact in a period of the table. The full system has the two multipliers of the ball;
// the table is driven.
TEST(ContactAnalyses, BallOnAShakingTable) {
  struct Case {
    double a, phi;
    std::complex<double> first, second;
  };
  using C = std::complex<double>;
  const double w = 60, e = 0.8, v = 0.5136503988619312;
  const Case cases[] = {{0.0024525, 1.172497446195502, C(-0.523870833601468, 0.604615042569818),
                         C(-0.523870833601468, -0.604615042569818)},
                        {0.00286125, 1.231902893719972, C(-0.784252416985776, 0.157949822576564),
                         C(-0.784252416985776, -0.157949822576564)}};
  for (const Case& c : cases) {
    const Example example =
        load_example("shaken_ball", "recursive", {{"a", c.a}, {"w", w}, {"e", e}});
    ASSERT_TRUE(example) << example.problem;
    const MechanicalSystem& system = example.mechanism();
    // a quarter of the flight after the impact
    const double s = turn / w / 4, t = c.phi / w + s;
    const State start = system.make_state(
        t, {{std::vector<double>{c.a * std::sin(c.phi) + v * s - 9.81 / 2 * s * s}}, {}},
        {{std::vector<double>{v - 9.81 * s}}, {}});
    OrbitOptions options;
    options.period = turn / w;
    options.problem.driven = true;
    const Orbit orbit = find_orbit(system, start, options);
    ASSERT_TRUE(orbit.found()) << orbit.problem;
    expect_pair(orbit, c.first, c.second);
  }
}

// C4: one step of the wheel: the multiplier of the step, those of the flow and of the shift.
TEST(ContactAnalyses, StepOfTheRimlessWheel) {
  const Example wheel = load_example("rimless_wheel", "recursive", {{"w0", 1.154695596838826}});
  ASSERT_TRUE(wheel) << wheel.problem;
  const System& system = *wheel.system;
  Flow flow(system, tangent_numbers(system), {}, {});
  const State start = later(system, system.initial_state(), 0.4);
  const double T = 0.8386349084962336;
  flow.start(start, Eigen::MatrixXd::Identity(6, 6));
  ASSERT_EQ(flow.advance(start.t + T), "");
  // the wheel has turned by one spoke and gone on by its distance
  const State& end = flow.state();
  EXPECT_NEAR(end.x[2] - start.x[2], -turn / 8, 1e-10);
  EXPECT_NEAR(end.x[0] - start.x[0], 2 * std::sin(turn / 16), 1e-10);
  for (int k = 3; k < 6; ++k) EXPECT_NEAR(end.x[k], start.x[k], 1e-10);
  const Eigen::MatrixXd from = allowed_directions(system, start, flow.workspace());
  // the foot stands: place, angle and rate are all there is, and one spoke is as another
  const auto chart = [](const Eigen::MatrixXd& columns) {
    Eigen::MatrixXd seen(3, columns.cols());
    seen << columns.row(0), columns.row(2), columns.row(5);
    return seen;
  };
  const Eigen::MatrixXd S = flow.columns();
  ASSERT_EQ(from.cols(), 3);
  const Eigen::MatrixXd map = chart(S * from) * chart(from).inverse();
  EXPECT_NEAR(map.trace(), 2 + 0.5714185503295965, 1e-8);
  EXPECT_NEAR(map.determinant(), 0.5714185503295965, 1e-8);
}

// C5.a: all gaits
TEST(ContactAnalyses, GaitsOfTheSimplestWalker) {
  struct Gait {
    double gamma, theta, w, T;
    std::complex<double> first, second;
  };
  using C = std::complex<double>;
  const Gait gaits[] = {
      {0.004, 0.1533895648762363, -0.1560801466756814, 3.852613461750981,
       C(0.228889962888464, 0.591155194683486), C(0.228889962888464, -0.591155194683486)},
      {0.004, 0.1487783869696196, -0.1588066734576057, 3.116505598348014, C(3.21276938763343, 0),
       C(0.591552246984475, 0)},
      {0.009, 0.1939373698101818, -0.2038669274420069, 3.096105868078164, C(4.00386435892971, 0),
       C(0.459589589797672, 0)},
      {0.015, 0.2367121849594235, -0.231546131237267, 3.912003936421608, C(-0.980464398334547, 0),
       C(-0.304198655008149, 0)},
      {0.015, 0.2287569454133075, -0.2369070720763238, 3.074691999206361, C(4.79742284900481, 0),
       C(0.372882569735376, 0)}};
  for (const Gait& g : gaits) {
    const Example example = load_example("simplest_walker", "recursive",
                                         {{"gamma", g.gamma}, {"theta0", g.theta}, {"w0", g.w}});
    ASSERT_TRUE(example) << example.problem;
    OrbitOptions options;
    options.period = g.T;
    const Orbit orbit = find_orbit(
        *example.system, later(*example.system, example.system->initial_state(), 1), options);
    ASSERT_TRUE(orbit.found()) << orbit.problem;
    EXPECT_NEAR(orbit.point.period, g.T, 1e-9);
    ASSERT_EQ(orbit.multipliers.size(), 4u);
    for (const C wanted : {g.first, g.second, C(1, 0), C(0, 0)}) {
      double nearest = 1;
      for (const C m : orbit.multipliers) nearest = std::min(nearest, std::abs(m - wanted));
      EXPECT_LT(nearest, 1e-8) << g.gamma << " " << wanted.real();
    }
  }
}

// C5.b: both period doublings, the second along orbits of two steps
TEST(ContactAnalyses, PeriodDoublingsOfTheSimplestWalker) {
  const Example one = load_example("simplest_walker", "recursive",
                                   {{"gamma", 0.0148}, {"theta0", 0.2357}, {"w0", -0.2308}});
  const Branch single =
      follow_walker(one, 0.0148, 0.0153, 3.911, later(*one.system, one.system->initial_state(), 1),
                    "gamma", {}, 0.2);
  EXPECT_NEAR(place_of(single, BifurcationKind::period_doubling), 0.01508843794111946, 1e-8);
  const Example two = load_example("simplest_walker", "recursive",
                                   {{"gamma", 0.01766937486246302},
                                    {"theta0", 0.2578215053485591},
                                    {"w0", -0.2486652543009207}});
  OrbitOptions options;
  options.period = 4.056476279401867 + 3.713778665382671;
  const Orbit orbit =
      find_orbit(*two.system, later(*two.system, two.system->initial_state(), 1), options);
  ASSERT_TRUE(orbit.found()) << orbit.problem;
  EXPECT_NEAR(orbit.point.period, options.period, 1e-9);
  const Branch doubled = follow_walker(two, 0.01766937486246302, 0.0179, options.period,
                                       orbit.state(), "gamma", {}, 0.2);
  for (const std::complex<double> wanted :
       {std::complex<double>(-1), std::complex<double>(-0.0813483391003821)}) {
    double nearest = 1;
    for (const std::complex<double> m : orbit.multipliers)
      nearest = std::min(nearest, std::abs(m - wanted));
    EXPECT_LT(nearest, 1e-7) << wanted.real();
  }
  EXPECT_EQ(doubled.problem, "");
}

// C5.c: masses at the feet. A compass walker whose legs have their masses at the feet: a = 0, b = l
// = 1, g = 1. theta against the normal of the slope, phi between the legs.
std::string walker_with_feet(double gamma, double theta, double w, double f) {
  std::string text = example_text("compass_walker");
  const auto put = [&](const std::string& old, const std::string& by) {
    const std::size_t at = text.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    text.replace(at, text.find('\n', at) - at, by);
  };
  const auto number = [](double x) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    return std::string(digits);
  };
  put("gravity =", "gravity = [\"sin(slope)\", 0, \"-cos(slope)\"]");
  put("mh = 10", "mh = 1");
  put("m = 5", "m = 0.01");
  put("a = 0.5", "a = 0");
  put("b = 0.5", "b = 1");
  put("slope = \"2", "slope = " + number(gamma));
  put("q1 = -0.2", "q1 = \"slope - " + number(theta) + "\"");
  put("w1 = 1.0", "w1 = " + number(-w));
  // swing leg: angle against the normal theta - phi = -theta, its rate w - f
  put("q2 = \"2*slope", "q2 = \"slope + " + number(theta) + "\"");
  put("w2 = 0.5", "w2 = " + number(f - w));
  return text;
}

std::vector<int> exchange_legs(const System& system) {
  std::vector<int> swap;
  const int n = system.space().size() - system.quadratures();
  for (int i = 0; i < n; ++i) {
    std::string name = system.component_name(i);
    if (name.starts_with("left"))
      name.replace(0, 4, "right");
    else if (name.starts_with("right"))
      name.replace(0, 5, "left");
    for (int j = 0; j < n; ++j)
      if (system.component_name(j) == name) swap.push_back(j);
  }
  return swap;
}

TEST(ContactAnalyses, WalkerWithMassesAtItsFeet) {
  struct Gait {
    double theta, w, f, T;
    std::complex<double> first, second;
  };
  using C = std::complex<double>;
  const Gait gaits[] = {
      {0.1988253710425723, -0.2005655219146987, -0.01564946668891895, 3.877242149450208,
       C(-0.255298139812828, 0.407784458785473), C(-0.255298139812828, -0.407784458785473)},
      {0.1883753618362856, -0.2001809449764684, -0.01403969973730431, 3.085834140764247,
       C(3.88954672281708, 0), C(0.449528316692209, 0)}};
  for (const Gait& g : gaits) {
    const Example example = load_text(walker_with_feet(0.009, g.theta, g.w, g.f));
    ASSERT_TRUE(example) << example.problem;
    const System& system = *example.system;
    OrbitOptions options;
    options.period = g.T;
    options.problem.swap = exchange_legs(system);
    State start = system.initial_state();
    bool moved = false;
    ASSERT_EQ(leave_event(system, options, start, moved), "");
    const Orbit orbit = find_orbit(system, start, options);
    ASSERT_TRUE(orbit.found()) << orbit.problem;
    EXPECT_NEAR(orbit.point.period, g.T, 1e-9);
    for (const C wanted : {g.first, g.second, C(0, 0), C(1, 0)}) {
      double nearest = 1;
      for (const C m : orbit.multipliers) nearest = std::min(nearest, std::abs(m - wanted));
      EXPECT_LT(nearest, 1e-8) << wanted.real();
    }
  }
  const Example near = load_text(walker_with_feet(0.0134, 0.22654, -0.22518, -0.0227));
  State start = near.system->initial_state();
  OrbitOptions options;
  options.period = 3.9;
  options.problem.swap = exchange_legs(*near.system);
  bool moved = false;
  ASSERT_EQ(leave_event(*near.system, options, start, moved), "");
  const Branch branch =
      follow_walker(near, 0.0134, 0.0138, 3.9, start, "slope", options.problem.swap, 0.2);
  EXPECT_NEAR(place_of(branch, BifurcationKind::period_doubling), 0.01355813439456398, 1e-8);
}

}  // namespace
}  // namespace cartan::test
