// Linear least squares in a box, and intervals of unknowns with bounds: against brute force, closed
// forms, and the frequency with which they cover the truth.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "analysis/fits/box_squares.h"
#include "analysis/fits/confidence.h"
#include "analysis/fits/least_squares.h"
#include "support/random.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

double normal(Random& random) {  // Box and Muller
  const double u = random.uniform(1e-12, 1), v = random.uniform(0, 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
}

MatrixXd random_matrix(Random& random, int rows, int columns) {
  MatrixXd A(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) A(i, j) = normal(random);
  return A;
}

// At the minimum the gradient vanishes inside and points outward at bounds.
TEST(BoxSquares, FulfilTheConditionsOfAMinimum) {
  int at_bounds = 0;
  for (int seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(7919 * seed);
    const int k = random.integer(1, 7), n = k + random.integer(0, 5);
    const MatrixXd A = random_matrix(random, n, k);
    const VectorXd b = random_matrix(random, n, 1);
    VectorXd low(k), high(k);
    for (int j = 0; j < k; ++j) {
      low(j) = random.chance(0.3) ? -infinity : random.uniform(-1, 0.2);
      high(j) = random.chance(0.3) ? infinity : random.uniform(0.2, 1);
    }
    const VectorXd x = solve_in_box(A, b, low, high);
    const VectorXd gradient = A.transpose() * (A * x - b);
    const double small = 1e-10 * A.norm() * (b.norm() + A.norm());
    for (int j = 0; j < k; ++j) {
      ASSERT_GE(x(j), low(j));
      ASSERT_LE(x(j), high(j));
      if (x(j) == low(j))
        EXPECT_GE(gradient(j), -small);
      else if (x(j) == high(j))
        EXPECT_LE(gradient(j), small);
      else
        EXPECT_NEAR(gradient(j), 0, small);
      at_bounds += x(j) == low(j) || x(j) == high(j);
    }
  }
  EXPECT_GT(at_bounds, 200);
}

// y = A theta + errors, measured once; the unknowns have a lower bound of zero.
struct Linear {
  MatrixXd A;
  VectorXd y, lower;

  LeastSquaresResult fit() const {
    LeastSquaresProblem problem;
    problem.residuals = [&](const VectorXd& theta, VectorXd& r, MatrixXd* J) {
      r = A * theta - y;
      if (J) *J = A;
      return std::string();
    };
    problem.start = problem.size = VectorXd::Ones(A.cols());
    problem.lower = lower;
    problem.upper = VectorXd::Constant(A.cols(), infinity);
    return minimise_squares(problem, {});
  }
};

TEST(Confidence, WithoutBoundsIntervalsAreThoseOfStudent) {
  Random random(4);
  Linear linear{random_matrix(random, 9, 3), random_matrix(random, 9, 1),
                VectorXd::Constant(3, -infinity)};
  const LeastSquaresResult result = linear.fit();
  ASSERT_TRUE(result.converged);
  const VectorXd best = linear.A.colPivHouseholderQr().solve(linear.y);
  EXPECT_LT((result.theta - best).norm(), 1e-7);
  const double s2 = (linear.A * best - linear.y).squaredNorm() / 6;
  const MatrixXd covariance = s2 * (linear.A.transpose() * linear.A).inverse();
  EXPECT_LT((result.covariance - covariance).norm(), 1e-12 * covariance.norm());
  for (int j = 0; j < 3; ++j) {  // t of 6 degrees of freedom, 97.5 per cent, from tables
    EXPECT_NEAR(result.interval_high(j) - best(j), 2.446912 * std::sqrt(covariance(j, j)), 1e-6);
    EXPECT_NEAR(best(j) - result.interval_low(j), 2.446912 * std::sqrt(covariance(j, j)), 1e-6);
    EXPECT_NEAR(result.curvature(j), 1, 1e-6);
  }
}

// The interval of one unknown by trying values of it and of the other.
TEST(Confidence, AtABoundTheIntervalIsWhatTheDataLeaveOpen) {
  Linear linear;
  linear.A = (MatrixXd(4, 2) << 1, 0.8, 0.5, 1, 1, 1, 0, 0.3).finished();
  linear.y = (VectorXd(4) << 1.1, 0.2, 0.9, -0.35).finished();  // the second wants to be negative
  linear.lower = VectorXd::Zero(2);
  const LeastSquaresResult result = linear.fit();
  ASSERT_EQ(result.at_bound, std::vector<int>{1});
  EXPECT_EQ(result.theta(1), 0);
  const double t = student_quantile(0.95, 2), least = 2 * result.final_cost;
  const double limit = least + t * t * least / 2;
  double low[2] = {infinity, infinity}, high[2] = {-infinity, -infinity};
  const double step = 2e-3;
  for (double a = 0; a < 4; a += step)
    for (double b = 0; b < 4; b += step) {
      if ((linear.A * Eigen::Vector2d(a, b) - linear.y).squaredNorm() > limit) continue;
      low[0] = std::min(low[0], a), high[0] = std::max(high[0], a);
      low[1] = std::min(low[1], b), high[1] = std::max(high[1], b);
    }
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(result.interval_low(j), low[j], step) << j;
    EXPECT_NEAR(result.interval_high(j), high[j], step) << j;
  }
  EXPECT_EQ(result.interval_low(1), 0);
  EXPECT_GT(result.interval_high(1), 0.1);
}

// Correlated unknowns within one or two standard errors of their bounds: most fits end there.
TEST(Confidence, IntervalsCoverTheTruthNearBounds) {
  Random random(11);
  Linear linear;
  linear.A = random_matrix(random, 20, 3);
  linear.A.col(2) = 0.9 * linear.A.col(0) + 0.4 * linear.A.col(2);
  linear.lower = VectorXd::Zero(3);
  const MatrixXd inverse = (linear.A.transpose() * linear.A).inverse();
  VectorXd truth(3);
  truth << std::sqrt(inverse(0, 0)), 2 * std::sqrt(inverse(1, 1)), 0.3 * std::sqrt(inverse(2, 2));
  constexpr int trials = 1000;
  int covered[3] = {}, at_bounds = 0;
  for (int trial = 0; trial < trials; ++trial) {
    linear.y = linear.A * truth + random_matrix(random, 20, 1);
    const LeastSquaresResult result = linear.fit();
    ASSERT_TRUE(result.converged);
    at_bounds += !result.at_bound.empty();
    for (int j = 0; j < 3; ++j)
      covered[j] += result.interval_low(j) <= truth(j) && truth(j) <= result.interval_high(j);
  }
  EXPECT_GT(at_bounds, 300);
  for (int j = 0; j < 3; ++j) {
    EXPECT_GE(covered[j], 929) << j;  // three deviations below 950
    std::printf("covered %d of %d\n", covered[j], trials);
  }
}

// |x - a|^2 seen through a curved valley, its minimum outside the box: few evaluations.
TEST(LeastSquares, BoundsDoNotSlowTheIterationDown) {
  LeastSquaresProblem problem;
  problem.residuals = [](const VectorXd& x, VectorXd& r, MatrixXd* J) {
    r = (VectorXd(3) << 10 * (x(1) - x(0) * x(0)), 1 - x(0), 0.1 * (x(0) + x(1))).finished();
    if (J) *J = (MatrixXd(3, 2) << -20 * x(0), 10, -1, 0, 0.1, 0.1).finished();
    return std::string();
  };
  problem.start = (VectorXd(2) << -1.2, 0.4).finished();
  problem.size = VectorXd::Ones(2);
  problem.lower = VectorXd::Constant(2, -2);
  problem.upper = (VectorXd(2) << 2, 0.5).finished();
  const LeastSquaresResult result = minimise_squares(problem, {});
  ASSERT_TRUE(result.converged);
  EXPECT_EQ(result.at_bound, std::vector<int>{1});
  EXPECT_LT(result.evaluations, 60);
  double best = infinity;  // along the bound
  for (double x = -2; x < 2; x += 1e-5) {
    VectorXd r;
    problem.residuals(Eigen::Vector2d(x, 0.5), r, nullptr);
    best = std::min(best, 0.5 * r.squaredNorm());
  }
  EXPECT_NEAR(result.final_cost, best, 1e-8);
}

}  // namespace
}  // namespace cartan::test
