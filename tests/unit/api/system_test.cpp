// The equations of motion as functions of the public headers.
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <cartan/cartan.h>

namespace {

const std::string systems = CARTAN_ROOT "/examples/";

TEST(PublicSystem, RatesAndJacobianOfThePendulumEquation) {
  const cartan::System system(
      cartan::load_text("name = 'p'\n[variables]\na = { initial = 0.3, rate = 'w' }\n"
                        "w = { initial = 2, rate = '-sin(a) + t' }\n"));
  ASSERT_EQ(system.size(), 2u);
  EXPECT_EQ(system.names(), (std::vector<std::string>{"a", "w"}));
  const std::vector<double> x = system.initial();
  std::vector<double> rates(2), J(4);
  system.derivative(0.5, x, rates);
  EXPECT_EQ(rates[0], 2);
  EXPECT_NEAR(rates[1], 0.5 - std::sin(0.3), 1e-16);
  system.jacobian(0.5, x, J);
  EXPECT_EQ(J, (std::vector<double>{0, 1, -std::cos(0.3), 0}));
}

TEST(PublicSystem, SpeedsChangeAsEvalSays) {
  const cartan::Model model = cartan::load(systems + "heavy_top.toml");
  for (const char* formulation : {"recursive", "moving-frame"}) {
    const cartan::System system(model, formulation);
    const cartan::Evaluation now = cartan::eval(model);
    std::vector<double> rates(system.size());
    system.derivative(0, system.initial(), rates);
    const std::vector<double>& vdot = now.acceleration[0].values;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(rates[rates.size() - 3 + k], vdot[k], 1e-9);
    EXPECT_NE(vdot[0], 0);
    const cartan::State state = system.state(0, system.initial());
    EXPECT_EQ(state.joints[0].q, now.state.joints[0].q);
    EXPECT_EQ(system.numbers(state), system.initial());
  }
}

TEST(PublicSystem, ManyPointsAndThreadsGiveTheSameNumbers) {
  const cartan::System system(cartan::load(systems + "double_pendulum.toml"));
  const std::size_t n = system.size(), count = 9;
  std::vector<double> x, times(count, 0.0), rates(n * count), one(n);
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> point = system.initial();
    point.back() += 0.1 * static_cast<double>(k);
    x.insert(x.end(), point.begin(), point.end());
  }
  system.derivatives(times, x, rates);
  for (std::size_t k = 0; k < count; ++k) {
    system.derivative(0, std::span(x).subspan(k * n, n), one);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(rates[k * n + i], one[i], 1e-9);
  }
  std::vector<std::vector<double>> found(4, std::vector<double>(n));
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& mine : found)
      threads.emplace_back([&] {
        for (int k = 0; k < 200; ++k) system.derivative(0, std::span(x).first(n), mine);
      });
  }
  system.derivative(0, std::span(x).first(n), one);
  for (const std::vector<double>& mine : found) EXPECT_EQ(mine, one);
}

// M a + h; how it changes with the state along u; a second derivative that is known.
TEST(PublicSystem, InverseDynamicsAndSecondDerivatives) {
  const cartan::System system(cartan::load(systems + "double_pendulum.toml"));
  const std::size_t n = system.size(), v = system.speeds();
  std::vector<double> x = system.initial(), a(v), M(v * v), bias(v), forces(v), by_x(v * n);
  for (std::size_t i = 0; i < n; ++i) x[i] += 0.1 * static_cast<double>(i + 1);
  for (std::size_t i = 0; i < v; ++i) a[i] = 1 + static_cast<double>(i);
  system.mass_matrix(0, x, M, bias);
  system.inverse_dynamics(0, x, a, forces);
  for (std::size_t i = 0; i < v; ++i) {
    double expected = bias[i];
    for (std::size_t j = 0; j < v; ++j) expected += M[i * v + j] * a[j];
    EXPECT_NEAR(forces[i], expected, 1e-12 * (1 + std::fabs(expected)));
  }
  system.inverse_jacobian(0, x, a, by_x);
  // central differences: an error of h^2 and roundings / h
  const double h = 1e-5;
  std::vector<double> above(v), below(v);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> near = x;
    near[j] = x[j] + h;
    system.inverse_dynamics(0, near, a, above);
    near[j] = x[j] - h;
    system.inverse_dynamics(0, near, a, below);
    for (std::size_t i = 0; i < v; ++i)
      EXPECT_NEAR(by_x[i * n + j], (above[i] - below[i]) / (2 * h),
                  1e-7 * (1 + std::fabs(by_x[i * n + j])));
  }
  EXPECT_THROW(system.inverse_dynamics(0, x, std::vector<double>(v + 1), forces), cartan::Error);

  const cartan::System plain(
      cartan::load_text("name = 'p'\n[variables]\na = { initial = 0.3, rate = 'w' }\n"
                        "w = { initial = 2, rate = '-sin(a) * w' }\n"));
  std::vector<double> second(2);
  plain.second_derivative(0, plain.initial(), std::vector<double>{1, 2}, std::vector<double>{3, 5},
                          second);
  EXPECT_EQ(second[0], 0);
  EXPECT_NEAR(second[1], 2 * std::sin(0.3) * 1 * 3 - std::cos(0.3) * (1 * 5 + 2 * 3), 1e-14);
  EXPECT_THROW(plain.inverse_dynamics(0, plain.initial(), {}, {}), cartan::Error);
}

TEST(PublicSystem, WrongLengthsAndNamesAreErrors) {
  const cartan::Model model = cartan::load(systems + "heavy_top.toml");
  const cartan::System system(model);
  std::vector<double> rates(system.size()), few(2);
  EXPECT_THROW(system.derivative(0, few, rates), cartan::Error);
  EXPECT_THROW(system.derivative(0, system.initial(), few), cartan::Error);
  EXPECT_THROW(cartan::System(model, "recursve"), cartan::Error);
}

}  // namespace
