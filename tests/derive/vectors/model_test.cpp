// Derivations in the vector language against the formulation `recursive` of the same machine from
// its model file: two ways that have nothing in common.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "derivations/bicycle.h"
#include "derivations/coupled_pendulums.h"
#include "derivations/pendulum_chain.h"
#include "derivations/spherical_pendulum.h"
#include "derivations/swinging_legs.h"
#include "support/example.h"
#include "support/random.h"

namespace cartan::derivations {
namespace {

using test::Example;
using test::load_example;
using JointValues = std::vector<std::optional<std::vector<double>>>;

DynamicsReport dynamics_at(const Example& example, double t, const JointValues& q,
                           const JointValues& v) {
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  const State state = system.make_state(t, q, v);
  return system.report_dynamics(state, *workspace);
}

void expect_near(double found, double expected, double scale) {
  EXPECT_NEAR(found, expected, 1e-11 * (1 + scale));
}
double largest(const std::vector<double>& list) {
  double result = 0;
  for (const double x : list) result = std::max(result, std::fabs(x));
  return result;
}

TEST(ByHandAndByFile, SwingingLegs) {
  const Example example = load_example("swinging_legs");
  ASSERT_TRUE(example);
  const auto legs = derive_swinging_legs();
  test::Random random(41);
  for (int trial = 0; trial < 20; ++trial) {
    double q[3], u[3];
    for (double& x : q) x = random.uniform(-1, 1);
    for (double& x : u) x = random.uniform(-3, 3);
    const DynamicsReport report =
        dynamics_at(example, 0, {{{q[0]}}, {{q[1]}}, {{q[2]}}}, {{{u[0]}}, {{u[1]}}, {{u[2]}}});
    const std::vector<double> found = accelerations(
        *legs,
        {{"q1", q[0]}, {"q2", q[1]}, {"q3", q[2]}, {"u1", u[0]}, {"u2", u[1]}, {"u3", u[2]}});
    for (int k = 0; k < 3; ++k) expect_near(found[k], report.acceleration[k][0], largest(found));
  }
}

// A slide that shakes the first joint, links on universal joints; z down.
std::string chain_text(int links) {
  std::string text = R"toml(name = "shaken chain"
gravity = [0, 0, 1]
[[body]]
name = "slider"
mass = 1
[[joint]]
name = "slide"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "slider" }
velocity = 0.2
[[constraint]]
name = "shaker"
type = "drive"
joint = "slide"
position = "0.1*sin(2*t)"
)toml";
  for (int i = 1; i <= links; ++i)
    text += fmt::format(R"toml([[body]]
name = "link{0}"
mass = 1
com = [0, 0, 0.5]
inertia = ["1/12", "1/12", "1/100"]
[[joint]]
name = "joint{0}"
type = "universal"
axes = [[1, 0, 0], [0, 1, 0]]
parent = {{ body = "{1}", at = [0, 0, {2}] }}
child = {{ body = "link{0}" }}
)toml",
                        i, i == 1 ? "slider" : fmt::format("link{}", i - 1), i == 1 ? 0 : 1);
  return text;
}

TEST(ByHandAndByFile, PendulumChain) {
  test::Random random(43);
  for (const int links : {1, 2, 4, 7}) {
    const Example example = test::load_text(chain_text(links));
    ASSERT_TRUE(example);
    const auto chain = derive_pendulum_chain(links, Angles::relative);
    for (int trial = 0; trial < 5; ++trial) {
      const double t = random.uniform(0, 3);
      JointValues q = {{{0.1 * std::sin(2 * t)}}}, v = {{{0.2 * std::cos(2 * t)}}};
      Values at = {{"t", t}};
      for (int i = 1; i <= links; ++i) {
        const double a = random.uniform(-1, 1), b = random.uniform(-1, 1);
        const double c = random.uniform(-1, 1), d = random.uniform(-1, 1);
        q.push_back(std::vector{a, b});
        v.push_back(std::vector{c, d});
        at[fmt::format("q{}", 2 * i - 1)] = a, at[fmt::format("q{}", 2 * i)] = b;
        at[fmt::format("u{}", 2 * i - 1)] = c, at[fmt::format("u{}", 2 * i)] = d;
      }
      const DynamicsReport report = dynamics_at(example, t, q, v);
      const std::vector<double> found = accelerations(*chain, at);
      for (int i = 1; i <= links; ++i)
        for (int k = 0; k < 2; ++k)
          expect_near(found[2 * (i - 1) + k], report.acceleration[i][k], largest(found));
    }
  }
}

TEST(ByHandAndByFile, DrivenPendulum) {
  const Example example = load_example("driven_pendulum");
  ASSERT_TRUE(example);
  const auto pendulum = derive_spherical_pendulum();
  test::Random random(44);
  for (int trial = 0; trial < 10; ++trial) {
    const double t = random.uniform(0, 5), a = 0.2, w = 30;
    const double q1 = random.uniform(-3, 3), q2 = random.uniform(-1, 1);
    const double u1 = random.uniform(-3, 3), u2 = random.uniform(-3, 3);
    const DynamicsReport report = dynamics_at(example, t, {{{a * std::sin(w * t)}}, {{q1, q2}}},
                                              {{{a * w * std::cos(w * t)}}, {{u1, u2}}});
    const std::vector<double> found =
        accelerations(*pendulum, {{"t", t}, {"q1", q1}, {"q2", q2}, {"u1", u1}, {"u2", u2}});
    for (int k = 0; k < 2; ++k) expect_near(found[k], report.acceleration[1][k], largest(found));
  }
}

TEST(ByHandAndByFile, FoucaultsPendulum) {
  const Example example = load_example("foucault", "recursive", {{"Omega", 0.3}});
  ASSERT_TRUE(example);
  const auto pendulum = derive_spherical_pendulum();
  test::Random random(45);
  for (int trial = 0; trial < 10; ++trial) {
    const double t = random.uniform(0, 5), Omega = 0.3;
    const double q1 = random.uniform(-1, 1), q2 = random.uniform(-1, 1);
    const double u1 = random.uniform(-3, 3), u2 = random.uniform(-3, 3);
    const DynamicsReport report =
        dynamics_at(example, t, {{{Omega * t}}, {{q1, q2}}}, {{{Omega}}, {{u1, u2}}});
    const std::vector<double> found = accelerations(*pendulum, {{"t", t},
                                                                {"q1", q1},
                                                                {"q2", q2},
                                                                {"u1", u1},
                                                                {"u2", u2},
                                                                {"Omega", Omega},
                                                                {"a", 0},
                                                                {"L", 10},
                                                                {"g", 10},
                                                                {"latitude", 1.04},
                                                                {"c", 0.01}});
    for (int k = 0; k < 2; ++k) expect_near(found[k], report.acceleration[1][k], largest(found));
  }
}

// The file's world: x = n2, y = -n3, z = -n1.
std::vector<double> in_world(const std::vector<double>& n) {
  return {n[1], -n[2], -n[0]};
}

TEST(ByHandAndByFile, CoupledPendulums) {
  const Example example = load_example("coupled_pendulums");
  ASSERT_TRUE(example);
  const auto pendulums = derive_coupled_pendulums(false);
  const Frame N = pendulums->frames.frame("N");
  auto list = [&](const Vector& v) {
    const Vec3<Expression> c = components(v, N);
    return std::vector{c.x, c.y, c.z};
  };
  test::Random random(46);
  for (int trial = 0; trial < 10; ++trial) {
    // the string is nearly straight: the spheres meet only close to the hanging position
    Values at = {{"q1", random.uniform(0.17, 0.21)}, {"q2", random.uniform(-0.05, 0.05)},
                 {"q3", random.uniform(-1, 1)},      {"u1", random.uniform(-0.5, 0.5)},
                 {"u2", random.uniform(-0.5, 0.5)},  {"u3", random.uniform(-1, 1)}};
    at = with_accelerations(*pendulums, at);
    JointValues q, v;
    std::vector<std::vector<double>> found;
    for (const Vector* r : {&pendulums->r1, &pendulums->r2}) {
      const Vector rate = derivative(*r, N);
      q.push_back(in_world(evaluate(*pendulums, list(*r), at)));
      v.push_back(in_world(evaluate(*pendulums, list(rate), at)));
      found.push_back(in_world(evaluate(*pendulums, list(derivative(rate, N)), at)));
    }
    const DynamicsReport report = dynamics_at(example, 0, q, v);
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k)
        expect_near(found[i][k], report.acceleration[i][k], largest(found[i]));
  }
}

// The file's axes are forward, left, up; the derivation's forward, right, down.
TEST(ByHandAndByFile, Bicycle) {
  const Example example = load_example("bicycle");
  ASSERT_TRUE(example);
  const auto bicycle = derive_bicycle();
  const double states[][6] = {// u1 u2 u5 q1 q2 delta
                              {0, 0, 14, 0.1, -0.2, 9.705202960851574e-04},
                              {0.3, -0.5, 12, 0.2, 0.4, -5.717987089186510e-03},
                              {0.4, -0.9, 11, 0.3, 0.7, -7.057836149917492e-03}};
  const double R1 = 0.354;
  for (const auto& s : states) {
    Values at = {{"u1", s[0]}, {"u2", s[1]}, {"u5", s[2]},
                 {"q1", s[3]}, {"q2", s[4]}, {"delta", s[5]}};
    at = with_accelerations(*bicycle, at);
    const std::vector<double> dependent = evaluate(*bicycle, bicycle->rolling.values, at);
    at["u3"] = dependent[0], at["u4"] = dependent[1], at["ud"] = dependent[2];
    // u_d' = W u_i' + g
    const std::vector<double> g = evaluate(*bicycle, bicycle->rolling.g, at);
    const std::vector<double> W = evaluate(*bicycle, bicycle->rolling.W, at);
    const char* names[] = {"u3'", "u4'", "ud'"};
    for (int k = 0; k < 3; ++k)
      at[names[k]] =
          g[k] + W[3 * k] * at["u1'"] + W[3 * k + 1] * at["u2'"] + W[3 * k + 2] * at["u5'"];

    const Vec3<Expression> w = bicycle->frame_rates, wdot = bicycle->kinematics.rate(w);
    const std::vector<double> rates =
        evaluate(*bicycle, {w.x, w.y, w.z, wdot.x, wdot.y, wdot.z}, at);
    const double cl = std::cos(s[3] / 2), sl = std::sin(s[3] / 2);
    const double cp = std::cos(s[5] / 2), sp = std::sin(s[5] / 2);
    // the rear wheel's centre moves with R1 u4 along the ground, and with w x (C1 - P1)
    const double lean = s[3], pitch = s[5], yaw_rate = dependent[0];
    const double forward = R1 * dependent[1] - R1 * yaw_rate * std::sin(lean);  // along r1
    const double right = R1 * s[0];  // along a2: P1C1 = -R1 a3, w x (-R1 a3) has R1 u1 a2
    // in A: forward along a1, right along a2; pitch about -y in the file's axes
    const JointValues q = {
        {{cl * cp, sl * cp, -cl * sp, -sl * sp, 0, -R1 * std::sin(lean), R1 * std::cos(lean)}},
        {{0}},
        {{s[4]}},
        {{0}}};
    const JointValues v = {{{rates[0], -rates[1], -rates[2], std::cos(pitch) * forward, -right,
                             -std::sin(pitch) * forward}},
                           {{dependent[1]}},
                           {{s[1]}},
                           {{s[2]}}};
    const DynamicsReport report = dynamics_at(example, 0, q, v);
    expect_near(at["u2'"], report.acceleration[2][0], 10);
    expect_near(at["u5'"], report.acceleration[3][0], 10);
    expect_near(at["u4'"], report.acceleration[1][0], 10);
    expect_near(rates[3], report.acceleration[0][0], 10);
    expect_near(-rates[4], report.acceleration[0][1], 10);
    expect_near(-rates[5], report.acceleration[0][2], 10);
  }
}

}  // namespace
}  // namespace cartan::derivations
