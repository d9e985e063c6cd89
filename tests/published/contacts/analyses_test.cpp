// Derivatives through impacts and jumps against the multipliers of reference cases C3 and C5.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/orbit_continuation.h"
#include "analysis/sensitivity.h"
#include "support/example.h"

namespace cartan::test {
namespace {

constexpr double two_pi = 6.283185307179586;

// C3.a, C3.b: one impact in n periods of the drive
TEST(ContactAnalyses, ImpactOscillator) {
  struct Case {
    double z, d, r, w, v, psi;
    int n;
    std::complex<double> first;
  };
  const Case cases[] = {
      {0.1,
       0,
       0.7,
       1.5,
       1.453447243973959,
       0.3201980245936925,
       1,
       {-0.0753375137773181, 0.45424355517062}},
      {0.1,
       0,
       0.7,
       3.6,
       0.5094427222247706,
       0.5027213640016491,
       2,
       {0.129457416369187, 0.476468895527076}},
      {0.05, 0.5, 0.8, 1.8, 0.3639164850822624, 2.975670663516996, 1, {3.21312675846126, 0}}};
  for (const Case& c : cases) {
    const Example example = load_example("impact_oscillator", "recursive",
                                         {{"z", c.z}, {"d", c.d}, {"r", c.r}, {"w", c.w}});
    ASSERT_TRUE(example) << example.problem;
    // just after the impact, half a period later than that
    const MechanicalSystem& system = example.mechanism();
    State start = system.make_state(c.psi / c.w, {{std::vector<double>{c.d}}},
                                    {{std::vector<double>{-c.r * c.v}}});
    const double period = two_pi * c.n / c.w;
    const SimulateReport later =
        simulate(system, start,
                 {.integrator = "dop853", .duration = period / 2, .step = 1, .tolerance = 1e-13},
                 Observer{});
    ASSERT_TRUE(later.ok()) << later.message;
    OrbitOptions options;
    options.period = period;
    options.problem.driven = true;
    const Orbit orbit = find_orbit(system, later.final_state, options);
    ASSERT_TRUE(orbit.found()) << orbit.problem;
    ASSERT_EQ(orbit.multipliers.size(), 2u);
    EXPECT_NEAR(orbit.multipliers[0].real(), c.first.real(), 1e-8);
    EXPECT_NEAR(std::fabs(orbit.multipliers[0].imag()), c.first.imag(), 1e-8);
    const std::complex<double> product = orbit.multipliers[0] * orbit.multipliers[1];
    EXPECT_NEAR(product.real(), c.r * c.r * std::exp(-2 * c.z * period), 1e-9);
  }
}

// C5.a: long gait; the full system has besides the two multipliers 0 and 1
TEST(ContactAnalyses, SimplestWalker) {
  const Example example = load_example("simplest_walker");
  ASSERT_TRUE(example) << example.problem;
  // away from the strike
  const SimulateReport later =
      simulate(*example.system, example.system->initial_state(),
               {.integrator = "dop853", .duration = 1, .step = 1, .tolerance = 1e-13}, Observer{});
  OrbitOptions options;
  options.period = 3.88;
  const Orbit orbit = find_orbit(*example.system, later.final_state, options);
  ASSERT_TRUE(orbit.found()) << orbit.problem;
  EXPECT_NEAR(orbit.point.period, 3.8824637528513741376, 1e-9);
  ASSERT_EQ(orbit.multipliers.size(), 4u);
  EXPECT_NEAR(std::abs(orbit.multipliers[0] - 1.0), 0, 1e-8);
  EXPECT_NEAR(orbit.multipliers[1].real(), -0.190099841065888146, 1e-8);
  EXPECT_NEAR(std::fabs(orbit.multipliers[1].imag()), 0.557598776682068269, 1e-8);
  EXPECT_NEAR(std::abs(orbit.multipliers[3]), 0, 1e-8);
}

std::vector<int> swap_of_legs(const System& system) {
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

// C6.a: one step of the compass walker closes up to a swap of its legs; the full system has besides
// the three multipliers two ones, along the motion and along the slope.
TEST(ContactAnalyses, CompassWalkerUpToASwap) {
  const Example example = load_example("compass_walker");
  ASSERT_TRUE(example) << example.problem;
  const System& system = *example.system;
  OrbitOptions options;
  options.period = 0.72;
  options.problem.swap = swap_of_legs(system);
  State start = system.initial_state();
  bool moved = false;
  ASSERT_EQ(leave_event(system, options, start, moved), "");
  EXPECT_TRUE(moved);  // the foot has just left the ground
  const Orbit orbit = find_orbit(system, start, options);
  ASSERT_TRUE(orbit.found()) << orbit.problem;
  EXPECT_NEAR(orbit.point.period, 0.7196522123623954, 1e-9);
  ASSERT_EQ(orbit.multipliers.size(), 5u);
  EXPECT_NEAR(std::abs(orbit.multipliers[0] - 1.0), 0, 1e-8);
  EXPECT_NEAR(std::abs(orbit.multipliers[1] - 1.0), 0, 1e-8);
  EXPECT_NEAR(orbit.multipliers[2].real(), 0.0980425618987221, 1e-8);
  EXPECT_NEAR(std::fabs(orbit.multipliers[2].imag()), 0.584387250562495, 1e-8);
  EXPECT_NEAR(orbit.multipliers[4].real(), 0.1604888994258, 1e-8);
  ASSERT_EQ(orbit.shifts.size(), 1u);
  EXPECT_EQ(system.component_name(orbit.shifts[0].first), "plane.q0");
}

// C6.a: its period doubling along the slope.
TEST(ContactAnalyses, PeriodDoublingOfTheCompassWalker) {
  const double degree = two_pi / 360;
  const Example example = load_example("compass_walker", "recursive",
                                       {{"slope", 3 * degree},
                                        {"q1", -0.2186688029389905},
                                        {"w1", 1.092383589883601},
                                        {"w2", 0.3773739489071941}});
  ASSERT_TRUE(example) << example.problem;
  OrbitSetting setting;
  setting.from = 3 * degree;
  setting.to = 4.5 * degree;
  setting.family.parameter = example.model->find_parameter("slope");
  setting.family.options.problem.swap = swap_of_legs(*example.system);
  setting.family.make = [&](double p) {
    OrbitMember member;
    std::string problem;
    const int which[] = {setting.family.parameter};
    const double value[] = {p};
    member.system = make_system(*example.model, parameter_values(*example.model, which, value),
                                "recursive", problem);
    return member;
  };
  OrbitOptions options = setting.family.options;
  options.period = 0.7343463911587194;
  State start = example.system->initial_state();
  bool moved = false;
  ASSERT_EQ(leave_event(*example.system, options, start, moved), "");
  OrbitContinuation orbits(setting);
  ContinuationPoint point;
  ASSERT_EQ(orbits.start(start, options.period, 1, point), "");
  EXPECT_NEAR(point.numbers[0], 0.7343463911587194, 1e-9);
  ContinuationOptions way;
  way.from = setting.from;
  way.to = setting.to;
  way.step = way.largest_step = 0.2;
  const Branch branch = follow_branch(orbits, point, way);
  ASSERT_EQ(branch.bifurcations.size(), 1u) << branch.end << branch.problem;
  EXPECT_EQ(branch.bifurcations[0].kind, BifurcationKind::period_doubling);
  EXPECT_NEAR(branch.bifurcations[0].at.point.parameter(), 4.390898249602157 * degree, 1e-8);
}

// Sensitivities of a bouncing ball to its height and restitution, in closed form.
TEST(ContactAnalyses, SensitivityOfABouncingBall) {
  const Example ball = load_example("bouncing_ball");
  const Model& model = *ball.model;
  const std::vector<int> which = {model.find_parameter("h"), model.find_parameter("e")};
  const SensitivitySystem system(*ball.system, which);
  const State start = ball.system->initial_state();
  Eigen::MatrixXd by_p = Eigen::MatrixXd::Zero(6, 2);
  by_p(2, 0) = 1;
  const double t = 1, g = 9.81, h = 1, e = 0.8;
  const SimulateReport r = simulate(system, system.make_state(start, by_p),
                                    {.integrator = "gl4", .duration = t, .step = 0.01}, Observer{});
  ASSERT_TRUE(r.ok()) << r.message;
  const auto S = system.columns(r.final_state.x);
  // z = R + e v1 s - g s^2/2, s = t - t1, v1 = sqrt(2 g h), t1 = v1/g
  const double v1 = std::sqrt(2 * g * h), s = t - v1 / g, dv = g / v1;
  EXPECT_NEAR(S(2, 0), e * dv * s - (e * v1 - g * s) * dv / g, 1e-11);
  EXPECT_NEAR(S(5, 0), e * dv + dv, 1e-11);
  EXPECT_NEAR(S(2, 1), v1 * s, 1e-11);
  EXPECT_NEAR(S(5, 1), v1, 1e-11);
}

}  // namespace
}  // namespace cartan::test
