// Stability of bicycles: source 004 (7.4), figures of the table row (case S4.8 of the references),
// and the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007).
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "analysis/equilibrium.h"
#include "mechanics/machine/state_expression.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using Complex = std::complex<double>;

Linearisation linearise_at(const Example& example, const State& state) {
  const auto workspace = example.system->make_workspace();
  return linearise(*example.system, state, *workspace);
}

Linearisation crescent(double v) {
  const Example example = load_example(
      "bicycle", "recursive",
      {{"lean", 0}, {"steer", 0}, {"pitch", 0}, {"yaw_rate", 0}, {"v", v}, {"rear_speed", v}});
  return linearise_at(example, example.system->initial_state());
}

Linearisation benchmark(double v) {
  const Example example = load_example("benchmark_bicycle", "recursive", {{"push", 0}, {"v", v}});
  return linearise_at(example, example.system->initial_state());
}

// The fork turned back to front: the front wheel rolls the other way about its axle.
Linearisation reversed(double v) {
  const Example example = load_example("bicycle", "recursive",
                                       {{"lean", 0},
                                        {"steer", std::numbers::pi},
                                        {"pitch", 0.0316770242651653},
                                        {"yaw_rate", 0},
                                        {"v", v},
                                        {"rear_speed", v}});
  const Model& model = *example.model;
  std::vector<std::optional<std::vector<double>>> q(model.joints.size()), speeds = q;
  speeds[model.find_joint("frame_place")] = {
      0, 0, 0, v * std::cos(0.0316770242651653), 0, -v * std::sin(0.0316770242651653)};
  speeds[model.find_joint("rear_axle")] = {v / 0.354};
  speeds[model.find_joint("steering")] = {0};
  speeds[model.find_joint("front_axle")] = {-v / 0.354};
  State state = example.mechanism().make_state(0, q, speeds);
  const auto workspace = example.system->make_workspace();
  EXPECT_EQ(example.mechanism().assemble(state, {}, *workspace).problem, "");
  return linearise_at(example, state);
}

void expect_four(const Linearisation& result, const std::vector<Complex>& expected,
                 double tolerance) {
  ASSERT_EQ(result.problem, "");
  EXPECT_EQ(result.dimension, 10);
  EXPECT_EQ(result.neutral, 6);  // two translations, heading, two wheel angles, speed
  for (const Complex& value : expected) {
    double nearest = INFINITY;
    for (const Complex& got : result.eigenvalues)
      nearest = std::min(nearest, std::abs(got - value));
    EXPECT_LT(nearest, tolerance) << value;
  }
}

std::vector<Complex> with_conjugates(const std::vector<Complex>& values) {
  std::vector<Complex> all;
  for (const Complex& value : values) {
    all.push_back(value);
    if (value.imag() != 0) all.push_back(std::conj(value));
  }
  return all;
}

// Real part of the weave pair, and the real eigenvalue nearest to zero.
double weave(const Linearisation& result) {
  double most = -INFINITY;
  for (const Complex& value : result.eigenvalues)
    if (std::fabs(value.imag()) > 0.5) most = std::max(most, value.real());
  return most;
}
double capsize(const Linearisation& result) {
  double nearest = INFINITY;
  for (const Complex& value : result.eigenvalues)
    if (value.imag() == 0 && value != Complex(0, 0) && std::fabs(value.real()) < std::fabs(nearest))
      nearest = value.real();
  return nearest;
}

// Between a and b, where f changes sign, by regula falsi (Illinois).
double root_between(const std::function<double(double)>& f, double a, double b) {
  double fa = f(a), fb = f(b);
  EXPECT_LT(fa * fb, 0);
  for (int i = 0; i < 60 && std::fabs(b - a) > 1e-12; ++i) {
    const double c = (a * fb - b * fa) / (fb - fa), fc = f(c);
    if (std::fabs(fc) < 1e-13) return c;
    if (fb * fc < 0)
      a = b, fa = fb;
    else
      fa /= 2;
    b = c, fb = fc;
  }
  return b;
}

TEST(BicycleOfSource004, Eigenvalues) {
  expect_four(crescent(0),
              {4.04218428353529, 3.420273054575561, -3.420273054575561, -4.04218428353529}, 1e-11);
  expect_four(
      crescent(4),
      with_conjugates(
          {-6.870177204275377, {-1.439153545362633, 4.90333277381456}, -0.4800082193618691}),
      1e-11);
  expect_four(
      crescent(5),
      with_conjugates(
          {-7.991261443470803, {-2.367064447298219, 7.112105182823494}, -0.06022530488590014}),
      1e-11);
  expect_four(
      crescent(10),
      with_conjugates(
          {-14.30944516581807, {-5.684491438018645, 16.46208597513378}, 0.1071967559490745}),
      1e-11);
  EXPECT_FALSE(crescent(3.2).stable);
  EXPECT_TRUE(crescent(3.21).asymptotic);
  EXPECT_TRUE(crescent(5.39).asymptotic);
  EXPECT_FALSE(crescent(5.4).stable);
}

TEST(BicycleOfSource004, StableSpeeds) {
  EXPECT_NEAR(root_between([](double v) { return weave(crescent(v)); }, 3, 3.4), 3.20654620778209,
              1e-10);
  EXPECT_NEAR(root_between([](double v) { return capsize(crescent(v)); }, 5.2, 5.6),
              5.39624933842446, 1e-10);
}

TEST(BicycleOfSource004, ReversedFork) {
  expect_four(
      reversed(5),
      with_conjugates(
          {-9.393682718056546, {-2.401174436041904, 5.296193960700609}, -0.5607220813244827}),
      1e-10);
  EXPECT_NEAR(root_between([](double v) { return weave(reversed(v)); }, 3.4, 3.8), 3.57801351336384,
              1e-9);
  EXPECT_NEAR(root_between([](double v) { return capsize(reversed(v)); }, 14, 14.6),
              14.2562792515224, 1e-8);
}

TEST(BenchmarkBicycle, Eigenvalues) {
  expect_four(benchmark(0),
              {5.530943717653935, 3.131643247906556, -3.131643247906556, -5.530943717653935},
              1e-11);
  expect_four(benchmark(1),
              with_conjugates(
                  {-7.110080146374408, -3.134231250665784, {3.526961709900694, 0.80774027519931}}),
              1e-11);
  expect_four(
      benchmark(5),
      with_conjugates(
          {-14.07838969279825, {-0.7753418821958419, 4.464867713788225}, -0.3228664290040871}),
      1e-11);
  expect_four(benchmark(10),
              with_conjugates(
                  {-24.624596350174, {-3.720168404372876, 10.90681139476288}, 0.1610533865317155}),
              1e-11);
}

TEST(BenchmarkBicycle, WeaveAndCapsizeSpeeds) {
  EXPECT_NEAR(root_between([](double v) { return weave(benchmark(v)); }, 4, 4.6),
              4.29238253634110396, 1e-11);
  EXPECT_NEAR(root_between([](double v) { return capsize(benchmark(v)); }, 5.8, 6.2),
              6.02426201538835889, 1e-10);
}

// A steady right turn at the front wheel's 2.5 m/s, found from a guess; eigenvalues as in the
// references (ten digits).
TEST(BicycleOfSource004, SteadyTurn) {
  const Example example = load_example("bicycle", "recursive",
                                       {{"lean", 0.22},
                                        {"steer", 0.6},
                                        {"pitch", -0.0076},
                                        {"v", 2.5},
                                        {"yaw_rate", 1.2},
                                        {"rear_speed", 2.1}});
  ASSERT_TRUE(example) << example.problem;
  const auto workspace = example.system->make_workspace();
  const State start = example.system->initial_state();
  const SteadyProblem problem(*example.system, find_symmetries(*example.system, start, *workspace),
                              *workspace);
  std::string message;
  EquilibriumOptions options;
  Held speed;
  speed.name = "front speed";
  speed.function = make_state_function(*example.system, *example.model, "R2*front_axle.v", message);
  ASSERT_TRUE(speed.function) << message;
  speed.target = 2.5;
  options.held.push_back(speed);
  const Equilibrium turn = find_equilibrium(problem, start, options);
  ASSERT_TRUE(turn.found) << turn.problem;
  EXPECT_EQ(turn.held.size(), 6u);  // the speed, and five initial values along the symmetries
  const Observation now = observe(example.mechanism(), turn.state);
  EXPECT_NEAR(now.q[example.model->find_joint("steering")][0], 5.832911252331866e-01, 1e-12);
  EXPECT_NEAR(now.v[example.model->find_joint("front_axle")][0], 2.5 / 0.354, 1e-12);
  EXPECT_NEAR(now.v[example.model->find_joint("rear_axle")][0], 2.064250989203299 / 0.354, 1e-11);
  const Linearisation linear = linearise(problem, turn.state);
  expect_four(linear, with_conjugates({-2.9750271941, {-1.9142528516, 5.3078533450}, 2.7084050121}),
              1e-9);
  EXPECT_FALSE(linear.stable);
}

}  // namespace
}  // namespace cartan::test
