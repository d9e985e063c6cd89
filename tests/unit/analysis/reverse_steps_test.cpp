// Steps differentiated backwards: against the power of the matrix of a step, and the same bits
// however many stages are kept.
#include "analysis/reverse_steps.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

namespace cartan::test {
namespace {

// x' = A x + p0 b, with tables of methods of any order.
struct LinearRates final : RateFunctions {
  Eigen::Matrix3d A;
  Eigen::Vector3d b;
  double p = 0.7;
  void rates(double, std::span<const double> x, std::span<double> xdot) override {
    const Eigen::Vector3d f = A * Eigen::Map<const Eigen::Vector3d>(x.data()) + p * b;
    std::copy(f.begin(), f.end(), xdot.begin());
  }
  void back(double, std::span<const double>, std::span<const double> w, std::span<double> by_x,
            std::span<double> by_p) override {
    const Eigen::Map<const Eigen::Vector3d> weight(w.data());
    const Eigen::Vector3d g = A.transpose() * weight;
    std::copy(g.begin(), g.end(), by_x.begin());
    by_p[0] += weight.dot(b);
  }
};

// A driven pendulum with a spring of stiffness p.
struct CurvedRates final : RateFunctions {
  double p = 1.3;
  long evaluations = 0;
  void rates(double t, std::span<const double> x, std::span<double> xdot) override {
    ++evaluations;
    xdot[0] = x[1];
    xdot[1] = -std::sin(x[0]) - p * x[0] * x[0] * x[0] + std::cos(t);
  }
  void back(double, std::span<const double> x, std::span<const double> w, std::span<double> by_x,
            std::span<double> by_p) override {
    by_x[0] = w[1] * (-std::cos(x[0]) - 3 * p * x[0] * x[0]);
    by_x[1] = w[0];
    by_p[0] -= w[1] * x[0] * x[0] * x[0];
  }
};

TEST(ReverseSteps, OfALinearSystemArePowersOfItsStep) {
  LinearRates f;
  f.A << -0.3, 1, 0.2, -1, -0.1, 0.4, 0.3, -0.2, -0.5;
  f.b << 0.2, -0.4, 1;
  const double h = 0.1;
  // R(hA) = 1 + hA + .. + (hA)^4 / 24, and what p adds in a step: h (1 + hA/2 + ..) b
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity(), Q = R, term = R;
  for (int k = 1; k <= 4; ++k) {
    if (k > 1) Q += term / k;
    term = (h * f.A * term / k).eval();
    R += term;
  }
  const Eigen::Vector3d w(1, -2, 0.5), by_step = h * Q * f.b;
  Eigen::RowVector3d expected = w.transpose();
  double by_p = 0;
  const int steps = 40;
  for (int k = 0; k < steps; ++k) {
    by_p += expected * by_step;
    expected = (expected * R).eval();
  }
  StepPlan plan{0, h, steps, &classical_rk4(), nullptr};
  const double x[3] = {0.3, 0.1, -0.2};
  double g[3] = {w[0], w[1], w[2]}, by[1] = {0};
  ASSERT_TRUE(differentiate_steps(f, plan, x, g, by));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(g[k], expected[k], 1e-14);
  EXPECT_NEAR(by[0], by_p, 1e-14);
}

TEST(ReverseSteps, DoNotDependOnWhatIsKept) {
  for (const ExplicitTableau* tableau :
       {&classical_rk4(), &dormand_prince_54(), &dormand_prince_853()}) {
    const double x[2] = {0.8, -0.3};
    const std::size_t width = 2 * static_cast<std::size_t>(tableau->stages);
    double first[3] = {0, 0, 0};
    for (const std::size_t kept : {1000 * width, 37 * width, 10 * width, width, std::size_t{0}}) {
      CurvedRates f;
      StepPlan plan{0.2, 0.05, 100, tableau, nullptr, kept};
      double w[2] = {1, 0.5}, by[1] = {0};
      ASSERT_TRUE(differentiate_steps(f, plan, x, w, by));
      const double all[3] = {w[0], w[1], by[0]};
      if (kept == 1000 * width) {
        std::copy(all, all + 3, first);
        EXPECT_EQ(f.evaluations, 100 * tableau->stages);  // nothing twice
      }
      for (int k = 0; k < 3; ++k) EXPECT_EQ(all[k], first[k]) << kept;
    }
    // differences of the same steps
    const auto end = [&](double a, double b, double p) {
      CurvedRates f;
      f.p = p;
      double y[2] = {a, b};
      EXPECT_TRUE(take_steps(f, {0.2, 0.05, 100, tableau, nullptr}, y));
      return y[0] + 0.5 * y[1];
    };
    const double d = 1e-5;
    EXPECT_NEAR(first[0], (end(x[0] + d, x[1], 1.3) - end(x[0] - d, x[1], 1.3)) / (2 * d), 1e-8);
    EXPECT_NEAR(first[1], (end(x[0], x[1] + d, 1.3) - end(x[0], x[1] - d, 1.3)) / (2 * d), 1e-8);
    EXPECT_NEAR(first[2], (end(x[0], x[1], 1.3 + d) - end(x[0], x[1], 1.3 - d)) / (2 * d), 1e-8);
    EXPECT_GT(std::fabs(first[2]), 1e-2);
  }
}

TEST(ReverseSteps, EndOnRequest) {
  CurvedRates f;
  const std::atomic<bool> stop = true;
  double x[2] = {0.8, -0.3}, w[2] = {1, 0}, by[1] = {0};
  EXPECT_FALSE(take_steps(f, {0, 0.1, 1000, &classical_rk4(), &stop}, x));
  EXPECT_FALSE(differentiate_steps(f, {0, 0.1, 1000, &classical_rk4(), &stop}, x, w, by));
  EXPECT_LT(f.evaluations, 20);
}

}  // namespace
}  // namespace cartan::test
