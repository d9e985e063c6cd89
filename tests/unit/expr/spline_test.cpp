// Splines: exact on cubics, twice continuously differentiable, of fourth order.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "expr/spline.h"

namespace cartan {
namespace {

const std::vector<double> uneven{-2, -1.5, -0.2, 0.1, 1.4, 1.5, 3};

std::vector<double> mapped(const std::vector<double>& x, double (*f)(double)) {
  std::vector<double> y;
  for (double at : x) y.push_back(f(at));
  return y;
}

double cubic(double x) {
  return 1 - 2 * x + 0.5 * x * x + 0.75 * x * x * x;
}
double cubic_slope(double x) {
  return -2 + x + 2.25 * x * x;
}
double cubic_curvature(double x) {
  return 1 + 4.5 * x;
}
double parabola(double x) {
  return 3 + x - 2 * x * x;
}

TEST(Spline, ReproducesCubics) {
  for (std::size_t points = 4; points <= uneven.size(); ++points) {
    const std::vector<double> x(uneven.begin(), uneven.begin() + points);
    const Spline spline(x, mapped(x, cubic));
    for (double at = -3; at <= 4; at += 0.07) {  // the end pieces continue outside
      EXPECT_NEAR(spline.value(at), cubic(at), 1e-11);
      EXPECT_NEAR(spline.slope(at), cubic_slope(at), 1e-11);
      EXPECT_NEAR(spline.curvature(at), cubic_curvature(at), 1e-11);
      EXPECT_NEAR(spline.jerk(at), 4.5, 1e-11);
    }
  }
}

TEST(Spline, ThreePointsGiveAParabolaAndTwoALine) {
  const std::vector<double> three{-1, 0.5, 1};
  const Spline spline(three, mapped(three, parabola));
  const Spline line({1, 3}, {2, -2});
  for (double at = -2; at <= 2; at += 0.1) {
    EXPECT_NEAR(spline.value(at), parabola(at), 1e-13);
    EXPECT_NEAR(spline.jerk(at), 0, 1e-13);
    EXPECT_NEAR(line.value(at), 4 - 2 * at, 1e-14);
    EXPECT_EQ(line.slope(at), -2);
    EXPECT_EQ(line.curvature(at), 0);
  }
}

TEST(Spline, PassesThroughItsPointsAndIsTwiceContinuouslyDifferentiable) {
  const std::vector<double> y{1, -2, 0.5, 3, 3, -1, 0};
  const Spline spline(uneven, y);
  double largest_jump = 0;
  for (std::size_t k = 0; k < uneven.size(); ++k) {
    EXPECT_NEAR(spline.value(uneven[k]), y[k], 1e-12);
    const double below = std::nextafter(uneven[k], -10);
    EXPECT_NEAR(spline.value(below), spline.value(uneven[k]), 1e-10);
    EXPECT_NEAR(spline.slope(below), spline.slope(uneven[k]), 1e-10);
    EXPECT_NEAR(spline.curvature(below), spline.curvature(uneven[k]), 1e-9);
    largest_jump = std::max(largest_jump, std::fabs(spline.jerk(below) - spline.jerk(uneven[k])));
  }
  EXPECT_GT(largest_jump, 1);  // it is not one polynomial
  // not-a-knot: no jump of the third derivative at the second and the last but one point
  EXPECT_NEAR(spline.jerk(uneven[0]), spline.jerk(uneven[1]), 1e-9);
  EXPECT_NEAR(spline.jerk(uneven[4]), spline.jerk(uneven[5]), 1e-9);
}

double largest_error(int pieces) {
  std::vector<double> x, y;
  for (int k = 0; k <= pieces; ++k) {
    x.push_back(3.0 * k / pieces);
    y.push_back(std::sin(x.back()));
  }
  const Spline spline(x, y);
  double error = 0;
  for (double at = 0; at <= 3; at += 0.003)
    error = std::max(error, std::fabs(spline.value(at) - std::sin(at)));
  return error;
}

TEST(Spline, IsOfFourthOrder) {
  const double order = std::log2(largest_error(40) / largest_error(80));
  EXPECT_NEAR(order, 4, 0.3);
}

}  // namespace
}  // namespace cartan
