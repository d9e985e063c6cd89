// Eigenvalues on the reduced tangent space against closed forms, and the counts of neutral
// directions.
#include "analysis/linearisation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "analysis/equilibrium.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using Complex = std::complex<double>;

Linearisation linearise_example(const Example& example) {
  const auto workspace = example.system->make_workspace();
  return linearise(*example.system, example.system->initial_state(), *workspace);
}

// Eigenvalues that are not neutral, in their order.
std::vector<Complex> rest(const Linearisation& result) {
  std::vector<Complex> values;
  for (const Complex& value : result.eigenvalues)
    if (value != Complex(0, 0)) values.push_back(value);
  EXPECT_EQ(values.size() + result.neutral, result.eigenvalues.size());
  return values;
}

void expect_values(const Linearisation& result, const std::vector<Complex>& expected,
                   double tolerance) {
  ASSERT_EQ(result.problem, "");
  const std::vector<Complex> got = rest(result);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    double nearest = INFINITY;
    for (const Complex& value : got) nearest = std::min(nearest, std::abs(value - expected[k]));
    EXPECT_LT(nearest, tolerance * std::max(1.0, std::abs(expected[k]))) << expected[k];
  }
}

TEST(Linearisation, VanDerPol) {
  const Example example = load_text(
      "name = \"van der Pol\"\n[variables]\n"
      "x1 = { initial = 0, rate = \"x1*(1 - x2^2) - x2\" }\n"
      "x2 = { initial = 0, rate = \"x1\" }\n");
  const Linearisation result = linearise_example(example);
  EXPECT_EQ(result.neutral, 0);
  expect_values(result, {{0.5, 0.8660254037844387}, {0.5, -0.8660254037844387}}, 1e-15);
  EXPECT_FALSE(result.stable);
}

TEST(Linearisation, ShiftsOfVariablesThatDoNotEnter) {
  // x - y enters, x + y does not: steady at any speed of the sum
  const Example example = load_text(
      "name = \"pair\"\n[variables]\n"
      "x = { initial = 1, rate = \"u\" }\n"
      "y = { initial = 0, rate = \"w\" }\n"
      "u = { initial = 2, rate = \"-4*(x - y - 1)\" }\n"
      "w = { initial = 2, rate = \"4*(x - y - 1)\" }\n");
  const Linearisation result = linearise_example(example);
  EXPECT_EQ(result.neutral, 2);
  expect_values(result, {{0, std::sqrt(8.0)}, {0, -std::sqrt(8.0)}}, 1e-14);
}

// Rolling straight on: A theta'' = ... gives lambda^2 = -(C (C + m r^2) n^2 - A m g r) / (A (A + m
// r^2)) with the rate n; stable above v = 1/sqrt(3) for r = g = m = 1.
TEST(Linearisation, RollingCoin) {
  for (const double speed : {0.3, 0.57, 0.58, 2.0}) {
    const Example example =
        load_example("rolling_coin", "recursive",
                     {{"theta", std::numbers::pi / 2}, {"turn", 0}, {"spin", speed}});
    const Linearisation result = linearise_example(example);
    ASSERT_EQ(result.problem, "");
    EXPECT_EQ(result.neutral, 6);  // two translations, heading, spin; speed and circling
    const double A = 0.25, C = 0.5;
    const Complex root = std::sqrt(Complex(-(C * (C + 1) * speed * speed - A) / (A * (A + 1)), 0));
    expect_values(result, {root, -root}, 1e-11);
    EXPECT_EQ(result.stable, speed > 1 / std::sqrt(3.0));
  }
}

TEST(Linearisation, RollingCoinInASteadyCircle) {
  const Example example = load_example("rolling_coin");
  const Linearisation result = linearise_example(example);
  const double omega = std::sqrt(0.727008673537188277);
  EXPECT_EQ(result.neutral, 6);
  expect_values(result, {{0, omega}, {0, -omega}}, 1e-12);
}

// A z'' - i C n z' - m g l z = 0 for the horizontal place z of the axis, in the frame at rest.
TEST(Linearisation, SleepingTop) {
  const auto top = [](double spin) {
    return load_text(
        "name = \"top\"\ngravity = [0, 0, -9.81]\n[parameters]\nspin = " + std::to_string(spin) +
        "\n[[body]]\nname = \"top\"\nmass = 2\ncom = [0, 0, 0.5]\ninertia = [0.3, 0.3, 0.1]\n"
        "[[joint]]\nname = \"pivot\"\ntype = \"spherical\"\nparent = { body = \"world\" }\n"
        "child = { body = \"top\" }\nvelocity = [0, 0, \"spin\"]\n");
  };
  const double A = 0.3 + 2 * 0.25, C = 0.1, load = 2 * 9.81 * 0.5;
  for (const double spin : {20.0, 56.0, 56.1, 80.0}) {
    const Linearisation result = linearise_example(top(spin));
    ASSERT_EQ(result.problem, "");
    const Complex disc = std::sqrt(Complex(4 * A * load - C * C * spin * spin, 0));
    const Complex a = (Complex(0, C * spin) + disc) / (2 * A);
    const Complex b = (Complex(0, C * spin) - disc) / (2 * A);
    EXPECT_EQ(result.neutral, 2);  // the spin's angle and its speed
    expect_values(result, {a, b, std::conj(a), std::conj(b)}, 1e-10);
    EXPECT_EQ(result.stable, C * C * spin * spin > 4 * A * load) << spin;
  }
}

// The same top hung into the world from the other side: the joint crossed from child to parent.
TEST(Linearisation, SleepingTopOnAReversedJoint) {
  const Example example = load_text(
      "name = \"top\"\ngravity = [0, 0, -9.81]\n"
      "[[body]]\nname = \"top\"\nmass = 2\ncom = [0, 0, 0.5]\ninertia = [0.3, 0.3, 0.1]\n"
      "[[joint]]\nname = \"pivot\"\ntype = \"spherical\"\nparent = { body = \"top\" }\n"
      "child = { body = \"world\" }\nvelocity = [0, 0, -80]\n");
  const double A = 0.8, C = 0.1, load = 9.81;
  const double disc = std::sqrt(C * C * 6400 - 4 * A * load);
  const Complex a(0, (C * 80 + disc) / (2 * A)), b(0, (C * 80 - disc) / (2 * A));
  const Linearisation result = linearise_example(example);
  EXPECT_EQ(result.neutral, 2);
  expect_values(result, {a, b, std::conj(a), std::conj(b)}, 1e-10);
}

TEST(Linearisation, CoupledPendulums) {
  const Example example = load_example("coupled_pendulums", "recursive", {{"together", 0}});
  const Linearisation result = linearise_example(example);
  EXPECT_EQ(result.neutral, 0);
  EXPECT_EQ(result.dimension, 6);
  expect_values(result,
                {{0, 26.7123466839293046},
                 {0, -26.7123466839293046},
                 {0, 15.7370680647896875},
                 {0, -15.7370680647896875},
                 {0, 27.0732277097579694},
                 {0, -27.0732277097579694}},
                1e-12);
  EXPECT_TRUE(result.stable);
  EXPECT_FALSE(result.asymptotic);
}

// Hanging straight, links of box shape: in each vertical plane M q'' + K q = 0, torsion about the
// vertical is neutral (four angles and four rates).
TEST(Linearisation, FourLinkPendulum) {
  const Example example = load_example("four_link", "recursive", {{"tilt", 0}});
  const Linearisation result = linearise_example(example);
  ASSERT_EQ(result.problem, "");
  const int n = 4;
  const double m = 50, L = 2, w = 0.2, g = 9.81, I = m * (L * L + w * w) / 12;
  Eigen::MatrixXd M(n, n), K = Eigen::MatrixXd::Zero(n, n);  // absolute angles
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? I : 0;
      for (int k = std::max(i, j); k < n; ++k)
        sum += m * (k == i ? L / 2 : L) * (k == j ? L / 2 : L);
      M(i, j) = sum;
    }
    K(i, i) = m * g * L * (n - 1 - i + 0.5);
  }
  const Eigen::VectorXcd squares = M.lu().solve(K).eval().eigenvalues();
  EXPECT_EQ(result.neutral, 8);
  const std::vector<Complex> got = rest(result);
  ASSERT_EQ(got.size(), 16u);
  for (int k = 0; k < n; ++k) {
    int count = 0;
    const double omega = std::sqrt(squares[k].real());
    for (const Complex& value : got)
      count +=
          std::abs(value - Complex(0, omega)) < 1e-9 || std::abs(value + Complex(0, omega)) < 1e-9;
    EXPECT_EQ(count, 4) << omega;  // both planes, both signs
  }
}

// A pendulum on a shaft that a drive turns: lambda^2 = -w^2 sin^2 at cos = g / (w^2 l). The driven
// angle is no freedom.
TEST(Linearisation, DriveOfConstantSpeed) {
  const auto shaft = [](const std::string& position) {
    return load_text(
        "name = \"driven\"\ngravity = [0, 0, -10]\n"
        "[[body]]\nname = \"shaft\"\nmass = 1\ninertia = [1, 1, 1]\n"
        "[[body]]\nname = \"bob\"\nmass = 1\ncom = [0, 0, -1]\n"
        "[[joint]]\nname = \"shaft\"\ntype = \"revolute\"\naxis = [0, 0, 1]\n"
        "parent = { body = \"world\" }\nchild = { body = \"shaft\" }\n"
        "[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\naxis = [0, 1, 0]\n"
        "parent = { body = \"shaft\" }\nchild = { body = \"bob\" }\nposition = \"acos(0.4)\"\n"
        "[[constraint]]\nname = \"motor\"\ntype = \"drive\"\njoint = \"shaft\"\nposition = \"" +
        position + "\"\n");
  };
  const Linearisation result = linearise_example(shaft("5*t"));
  EXPECT_EQ(result.dimension, 2);
  EXPECT_EQ(result.neutral, 0);
  const double omega = 5 * std::sqrt(1 - 0.16);
  expect_values(result, {{0, omega}, {0, -omega}}, 1e-12);
  EXPECT_NE(linearise_example(shaft("sin(t)")).problem.find("motor"), std::string::npos);
}

// lambda^2 = w^2 (I2 - I1)(I3 - I2) / (I1 I3); velocities of the centre turn in the frame of the
// body.
TEST(Linearisation, FreeBodyAboutItsMiddleAxis) {
  const Example example = load_text(
      "name = \"box\"\ngravity = [0, 0, 0]\n"
      "[[body]]\nname = \"box\"\nmass = 1\ninertia = [1, 2, 2.5]\n"
      "[[joint]]\nname = \"place\"\ntype = \"free\"\nparent = { body = \"world\" }\n"
      "child = { body = \"box\" }\nvelocity = [0, 3, 0, 0, 0, 0]\n"
      "position = { axis = [1, 2, 3], angle = 0.7, at = [1, 2, 3] }\n");
  const Linearisation result = linearise_example(example);
  EXPECT_EQ(result.dimension, 12);
  EXPECT_EQ(result.neutral, 8);
  const double lambda = 3 * std::sqrt(1 * 0.5 / 2.5);
  expect_values(result, {lambda, -lambda, {0, 3}, {0, -3}}, 1e-12);
}

TEST(Linearisation, FormulationsAgree) {
  const Settings settings = {{"push", 0}, {"v", 4.5}};
  const Linearisation a =
      linearise_example(load_example("benchmark_bicycle", "recursive", settings));
  const Linearisation b =
      linearise_example(load_example("benchmark_bicycle", "moving-frame", settings));
  ASSERT_EQ(b.problem, "");
  EXPECT_EQ(a.neutral, b.neutral);
  expect_values(b, rest(a), 1e-11);
  const Example canonical = load_example("pendulum", "canonical");
  EXPECT_NE(linearise_example(canonical).problem.find("recursive"), std::string::npos);
}

TEST(Linearisation, StatesThatAreNotSteadyAreRefused) {
  const Example pendulum = load_example("pendulum");
  EXPECT_NE(linearise_example(pendulum).problem.find("not steady"), std::string::npos);
  const Example driven = load_example("driven_pendulum");
  EXPECT_NE(linearise_example(driven).problem, "");
}

}  // namespace
}  // namespace cartan::test
