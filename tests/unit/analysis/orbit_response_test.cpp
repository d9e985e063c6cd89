// The response of orbits to small oscillating inputs: against closed forms, Hill's infinite
// equations, and motions of the whole nonlinear model with and without the input.
#include "analysis/control/orbit_response.h"

#include <complex>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/LU>

#include "unit/analysis/support.h"

namespace cartan::test {
namespace {

using Complex = std::complex<double>;
using namespace std::complex_literals;

OrbitResponse response_of(const Example& e, const Orbit& orbit, const std::string& input,
                          const std::string& output, std::vector<double> frequencies,
                          int harmonics) {
  ResponseRequest request;
  request.inputs = {e.model->find_parameter(input)};
  request.outputs = {function_of(e, output)};
  request.output_names = {output};
  request.frequencies = std::move(frequencies);
  request.harmonics = harmonics;
  return calc_orbit_response(*e.system, orbit, request);
}

Orbit driven_orbit(const Example& e, double period) {
  OrbitOptions options = orbit_options(period);
  options.problem.driven = true;
  return orbit_of(e, options);
}

// x' = -(a + b cos Omega t) x + u: with s = b / Omega, e^{s sin} = sum_m I_m(s) (-i)^m e^{i m ..},
//   H_k = sum_m I_m(s) (-i)^m I_{k-m}(s) i^{k-m} / (a + i (w + m Omega))
TEST(OrbitResponse, HillOfFirstOrderInBesselFunctions) {
  const double a = 0.7, b = 1.9, Omega = 1.3, s = b / Omega;
  const Example e = load_text(
      "name = 'hill'\n[parameters]\nu = 0\n[variables]\n"
      "x = { initial = 0, rate = '-(0.7 + 1.9*cos(1.3*t))*x + u' }\n");
  ASSERT_TRUE(e) << e.problem;
  const Orbit orbit = driven_orbit(e, 2 * std::numbers::pi / Omega);
  const std::vector<double> list = {0, 0.3, 1.3, 4, 17};
  const OrbitResponse found = response_of(e, orbit, "u", "x", list, 4);
  ASSERT_EQ(found.problem, "");
  EXPECT_LT(found.error, 1e-10);
  EXPECT_NEAR(found.fundamental, Omega, 1e-15);
  const auto bessel = [&](int m) { return std::cyl_bessel_i(double(std::abs(m)), s); };
  for (std::size_t f = 0; f < list.size(); ++f)
    for (int k = -4; k <= 4; ++k) {
      Complex exact = 0;
      for (int m = -40; m <= 40; ++m)
        exact += bessel(m) * std::pow(-1i, m) * bessel(k - m) * std::pow(1i, k - m) /
                 (a + 1i * (list[f] + m * Omega));
      EXPECT_LT(std::abs(found.H[f][k + 4](0, 0) - exact), 2e-12) << list[f] << " " << k;
    }
}

// x'' + 2 z x' + (d + q cos t) x = u: with s_k = w + k,
//   (d - s_k^2 + 2 i z s_k) X_k + q/2 (X_{k-1} + X_{k+1}) = [k = 0]
TEST(OrbitResponse, MathieuByHillsEquations) {
  const double z = 0.1, d = 0.6, q = 0.8;
  const Example e = load_text(
      "name = 'mathieu'\n[parameters]\nu = 0\n[variables]\nx = { initial = 0, rate = 'v' }\n"
      "v = { initial = 0, rate = '-0.2*v - (0.6 + 0.8*cos(t))*x + u' }\n");
  ASSERT_TRUE(e) << e.problem;
  const Orbit orbit = driven_orbit(e, 2 * std::numbers::pi);
  ASSERT_TRUE(orbit.attracting);
  const std::vector<double> list = {0.05, 0.4, 0.9, 3.3};
  const OrbitResponse found = response_of(e, orbit, "u", "x", list, 3);
  ASSERT_EQ(found.problem, "");
  constexpr int most = 40;
  for (std::size_t f = 0; f < list.size(); ++f) {
    Eigen::MatrixXcd hill = Eigen::MatrixXcd::Zero(2 * most + 1, 2 * most + 1);
    for (int k = -most; k <= most; ++k) {
      const double s = list[f] + k;
      hill(k + most, k + most) = d - s * s + 2i * z * s;
      if (k > -most) hill(k + most, k + most - 1) = q / 2;
      if (k < most) hill(k + most, k + most + 1) = q / 2;
    }
    const Eigen::VectorXcd exact =
        hill.partialPivLu().solve(Eigen::VectorXcd(Eigen::VectorXcd::Unit(2 * most + 1, most)));
    for (int k = -3; k <= 3; ++k)
      EXPECT_LT(std::abs(found.H[f][k + 3](0, 0) - exact[k + most]), 1e-10) << list[f] << " " << k;
    EXPECT_GT(std::abs(exact[1 + most]), 1e-3);
  }
}

// x' = 1 + u, back to zero at x = 1; y = sin(2 pi x) does not notice: X = t + e^{i w t} / (i w),
// H_1 = H_-1 = pi / (i w). The output x jumps and is refused. At w = 0 the phase runs away.
TEST(OrbitResponse, ThroughEventsThatSetTheState) {
  const Example e = load_text(
      "name = 'saw'\n[parameters]\nu = 0\n[variables]\nx = { initial = 0.3, rate = '1 + u' }\n"
      "y = { initial = 0, rate = '-3*y + u*x*(1 - x)' }\n"
      "[[event]]\nname = 'back'\nwhen = 'x - 1'\ndirection = 1\nset = { x = '0' }\n");
  ASSERT_TRUE(e) << e.problem;
  const Orbit orbit = orbit_of(e, orbit_options(1.02));
  const double t0 = orbit.state().t - orbit.state().x[0];  // X = t - t0
  const std::vector<double> list = {0, 0.5, 2.2};
  const OrbitResponse found = response_of(e, orbit, "u", "sin(2*pi*x)", list, 2);
  ASSERT_EQ(found.problem, "");
  EXPECT_FALSE(found.H[0][2].allFinite());
  for (std::size_t f = 1; f < list.size(); ++f)
    for (int k = -2; k <= 2; ++k) {
      const Complex turn = std::polar(1.0, -2 * std::numbers::pi * k * t0);
      const Complex exact = std::abs(k) == 1 ? std::numbers::pi / (1i * list[f]) * turn : 0;
      EXPECT_LT(std::abs(found.H[f][k + 2](0, 0) - exact), 1e-7) << list[f] << " " << k;
    }
  EXPECT_NE(response_of(e, orbit, "u", "x", {0.5}, 0).problem.find("'x' jumps"), std::string::npos);
}

// Parameters eps and nu of the text: the input is eps cos(nu t).
struct Shaken {
  std::string text, input, output;
  double period = 0;
  int settle = 0;      // periods until nothing is left of the start
  int samples = 0;     // in ten periods
  double shift = 0;    // of the samples, in parts of their distance
  double step = 1e-4;  // eps
  double allowed = 0;  // of the difference, relative
};

// Runs with +eps and -eps; nu = 0.3 Omega, so that ten periods hold three of the input.
std::vector<double> samples_of(const Shaken& c, double eps) {
  std::string text = c.text;
  text.replace(text.find("eps = 0"), 7, fmt::format("eps = {:.17g}", eps));
  const Example e = load_text(text);
  EXPECT_TRUE(e) << e.problem;
  std::vector<double> times, values;
  for (int j = 0; j < c.samples; ++j)
    times.push_back(c.period * (c.settle + 10 * (j + c.shift) / c.samples));
  SimulateOptions options;
  options.integrator = "dop853";
  options.tolerance = 1e-12;
  options.step = c.period / 50;
  const auto function = function_of(e, c.output);
  const auto workspace = e.system->make_workspace();
  for (const State& state : states_at(*e.system, times, options))
    values.push_back(function->value(state, *workspace));
  return values;
}

void expect_direct(const Shaken& c) {
  const Example e = load_text(c.text);
  ASSERT_TRUE(e) << e.problem;
  const double Omega = 2 * std::numbers::pi / c.period, w = 0.3 * Omega;
  SimulateOptions settle;
  settle.integrator = "dop853";
  settle.tolerance = 1e-12;
  settle.duration = c.settle * c.period;
  State start = simulate(*e.system, e.system->initial_state(), settle, {}).final_state;
  start.t = 0;  // the equations repeat
  OrbitOptions options = orbit_options(c.period);
  options.problem.driven = true;
  bool moved = false;
  ASSERT_EQ(leave_event(*e.system, options, start, moved), "");
  const Orbit orbit = find_orbit(*e.system, start, options);
  ASSERT_TRUE(orbit.found()) << orbit.problem;
  ASSERT_TRUE(orbit.attracting);
  const OrbitResponse found = response_of(e, orbit, c.input, c.output, {w}, 2);
  ASSERT_EQ(found.problem, "");
  const std::vector<double> up = samples_of(c, c.step), down = samples_of(c, -c.step);
  double size = 0;
  for (const Eigen::MatrixXcd& H : found.H[0]) size = std::max(size, std::abs(H(0, 0)));
  for (int k = -2; k <= 2; ++k) {
    Complex sum = 0;
    for (int j = 0; j < c.samples; ++j) {
      const double t = c.period * (c.settle + 10 * (j + c.shift) / c.samples);
      sum += (up[j] - down[j]) / (2 * c.step) * std::polar(1.0, -(w + k * Omega) * t);
    }
    const Complex direct = 2.0 * sum / double(c.samples);
    EXPECT_LT(std::abs(found.H[0][k + 2](0, 0) - direct), c.allowed * size) << k;
    if (k == 1) EXPECT_GT(std::abs(direct), 20 * c.allowed * size);  // it is there to be seen
  }
}

TEST(OrbitResponse, DuffingAsTheMotionItself) {
  Shaken c;
  c.text =
      "name = 'duffing'\n[parameters]\npush = 0\neps = 0\nOmega = 1.2\n[variables]\n"
      "x = { initial = 1, rate = 'v' }\n"
      "v = { initial = 0, rate = 'x - x^3 - 0.4*v + 0.2*cos(Omega*t) + push + "
      "eps*cos(0.3*Omega*t)' }\n";
  c.input = "push";
  c.output = "x^2";
  c.period = 2 * std::numbers::pi / 1.2;
  c.settle = 40;
  c.samples = 400;
  c.allowed = 1e-6;
  expect_direct(c);
}

// A body on a ball joint, shaken about all axes.
std::string swung_body() {
  return R"(
name = "swung"
[parameters]
push = 0
eps = 0
Omega = 3
[[body]]
name = "bob"
mass = 1
com = [0.1, 0, -0.5]
inertia = [0.02, 0.03, 0.05]
[[joint]]
name = "ball"
type = "spherical"
parent = { body = "world" }
child = { body = "bob" }
[[force]]
type = "drag"
body = "bob"
at = [0, 0, -0.5]
coefficient = 1.5
[[force]]
type = "wrench"
body = "bob"
torque = ["1.5*cos(Omega*t) - 0.4*bob.wx", "1.2*sin(Omega*t) - 0.4*bob.wy", "push + eps*cos(0.3*Omega*t) + 0.3*cos(Omega*t) - 0.4*bob.wz - 2*bob.R[1,0]"]
)";
}

TEST(OrbitResponse, RotationsAsTheMotionItself) {
  Shaken c;
  c.text = swung_body();
  c.input = "push";
  c.output = "bob.R[1,2]";
  c.period = 2 * std::numbers::pi / 3;
  c.settle = 40;
  c.samples = 240;
  c.allowed = 1e-7;
  expect_direct(c);
}

// A four-bar linkage that hangs, shaken by its motor.
TEST(OrbitResponse, ClosedLoopsAsTheMotionItself) {
  Shaken c;
  c.text = example_text("four_bar");
  c.text.replace(c.text.find("speed = 10 "), 11, "push = 0\neps = 0\nspeed = 0 ");
  c.text +=
      "\n[[force]]\ntype = \"joint\"\njoint = \"motor\"\nvalue = \"-0.1*motor.v + 0.4*cos(6*t) + "
      "push + eps*cos(1.8*t)\"\n";
  c.input = "push";
  c.output = "coupler.vx";
  c.period = 2 * std::numbers::pi / 6;
  c.settle = 60;
  c.samples = 240;
  c.allowed = 1e-6;
  expect_direct(c);
}

// A ball that bounces once in every period of its table, blown from below.
TEST(OrbitResponse, ImpactsAsTheMotionItself) {
  Shaken c;
  c.text = example_text("shaken_ball");
  const std::pair<const char*, const char*> changes[] = {
      {"a = 0.0125", "push = 0\neps = 0\na = 0.0067"},
      {"e = 0.5", "e = 0.8"},
      {"z0 = 0 ", "z0 = 0.032 "},
      {"v0 = \"a*w\"", "v0 = -0.642"}};
  for (const auto& [from, to] : changes)
    c.text.replace(c.text.find(from), std::string(from).size(), to);
  c.text +=
      "\n[[force]]\ntype = \"wrench\"\nbody = \"ball\"\nforce = [0, 0, \"push + "
      "eps*cos(0.3*w*t)\"]\n";
  c.input = "push";
  c.output = "flight.q";
  c.period = 2 * std::numbers::pi / 32;
  c.settle = 80;
  c.samples = 2000;
  // small changes of the motion jump at the impact, which is put between two samples
  const double place =
      std::acos(std::numbers::pi * 9.81 * 0.2 / (1.8 * 0.0067 * 32 * 32)) / (2 * std::numbers::pi);
  c.shift = 200 * place - std::floor(200 * place) - 0.5;
  c.allowed = 1e-4;
  expect_direct(c);
}

TEST(OrbitResponse, WhatItCannotDoIsSaid) {
  const Example e = load_example("duffing", "recursive", {{"drive", 0.2}});
  ASSERT_TRUE(e) << e.problem;
  const Orbit orbit = driven_orbit(e, 2 * std::numbers::pi / 1.2);
  EXPECT_NE(response_of(e, orbit, "drive", "x", {1e6}, 0).problem.find("too fast"),
            std::string::npos);
}

}  // namespace
}  // namespace cartan::test
