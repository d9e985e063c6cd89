// Tables. Splines: exact on cubics, twice continuously differentiable, of fourth order. The others:
// no overshoot, the values asked for outside of the range, and where they are not smooth.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/failure_note.h"
#include "expr/table_function.h"

namespace cartan::test {
namespace {

const std::vector<double> uneven{-2, -1.5, -0.2, 0.1, 1.4, 1.5, 3};

std::vector<double> mapped(const std::vector<double>& x, double (*f)(double)) {
  std::vector<double> y;
  for (double at : x) y.push_back(f(at));
  return y;
}

TableFunction smooth(const std::vector<double>& x, const std::vector<double>& y) {
  return {x, y, Interpolation::spline, Outside::extrapolate};
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

TEST(TableSpline, ReproducesCubics) {
  for (std::size_t points = 4; points <= uneven.size(); ++points) {
    const std::vector<double> x(uneven.begin(), uneven.begin() + points);
    const TableFunction spline = smooth(x, mapped(x, cubic));
    for (double at = -3; at <= 4; at += 0.07) {  // the end pieces continue outside
      EXPECT_NEAR(spline.value(at), cubic(at), 1e-11);
      EXPECT_NEAR(spline.slope(at), cubic_slope(at), 1e-11);
      EXPECT_NEAR(spline.curvature(at), cubic_curvature(at), 1e-11);
      EXPECT_NEAR(spline.jerk(at), 4.5, 1e-11);
    }
  }
}

TEST(TableSpline, ThreePointsGiveAParabolaAndTwoALine) {
  const std::vector<double> three{-1, 0.5, 1};
  const TableFunction spline = smooth(three, mapped(three, parabola));
  const TableFunction line = smooth({1, 3}, {2, -2});
  for (double at = -2; at <= 2; at += 0.1) {
    EXPECT_NEAR(spline.value(at), parabola(at), 1e-13);
    EXPECT_NEAR(spline.jerk(at), 0, 1e-13);
    EXPECT_NEAR(line.value(at), 4 - 2 * at, 1e-14);
    EXPECT_EQ(line.slope(at), -2);
    EXPECT_EQ(line.curvature(at), 0);
  }
}

TEST(TableSpline, PassesThroughItsPointsAndIsTwiceContinuouslyDifferentiable) {
  const std::vector<double> y{1, -2, 0.5, 3, 3, -1, 0};
  const TableFunction spline = smooth(uneven, y);
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
  const TableFunction spline = smooth(x, y);
  double error = 0;
  for (double at = 0; at <= 3; at += 0.003)
    error = std::max(error, std::fabs(spline.value(at) - std::sin(at)));
  return error;
}

TEST(TableSpline, IsOfFourthOrder) {
  const double order = std::log2(largest_error(40) / largest_error(80));
  EXPECT_NEAR(order, 4, 0.3);
}

// ---------------------------------------------------------------------------------- other readings

constexpr Interpolation all_interpolations[] = {Interpolation::linear, Interpolation::pchip,
                                                Interpolation::spline, Interpolation::steps};

// The table of the issue: a spline through it goes down to -59 between ordinates 0 and 1, and to
// 2996 outside.
const std::vector<double> rough_x{0, 1, 1.01, 2, 3}, rough_y{0, 0, 1, 1, 0};

TEST(Table, NothingButASplineOvershoots) {
  double lowest[4], highest[4];
  for (const Interpolation kind : all_interpolations) {
    const TableFunction table(rough_x, rough_y, kind, Outside::hold);
    double& low = lowest[static_cast<int>(kind)] = 0;
    double& high = highest[static_cast<int>(kind)] = 0;
    for (double x = -1; x <= 4; x += 0.001) {
      low = std::min(low, table.value(x));
      high = std::max(high, table.value(x));
    }
    for (std::size_t k = 0; k < rough_x.size(); ++k)
      EXPECT_NEAR(table.value(rough_x[k]), rough_y[k], 1e-12);
    if (kind == Interpolation::spline) continue;
    EXPECT_GE(low, 0);
    EXPECT_LE(high, 1 + 1e-12);
  }
  EXPECT_LT(lowest[static_cast<int>(Interpolation::spline)], -5);
}

TEST(Table, PchipKeepsRisesAndIsOnceDifferentiable) {
  const std::vector<double> y{0, 0.1, 0.1, 2, 2.5, 7, 7.1};
  const TableFunction table(uneven, y, Interpolation::pchip, Outside::error);
  double before = table.value(uneven.front());
  for (double x = uneven.front(); x <= uneven.back(); x += 0.001) {
    EXPECT_GE(table.value(x), before - 1e-13);
    before = table.value(x);
  }
  for (std::size_t k = 1; k + 1 < uneven.size(); ++k) {
    const double below = std::nextafter(uneven[k], -10);
    EXPECT_NEAR(table.slope(below), table.slope(uneven[k]), 1e-10);
  }
  // The harmonic mean by hand, at the fifth point: h = 1.3, 0.1; d = 0.5/1.3, 45.
  const double w0 = 2 * 0.1 + 1.3, w1 = 0.1 + 2 * 1.3;
  EXPECT_NEAR(table.slope(uneven[4]), (w0 + w1) / (w0 / (0.5 / 1.3) + w1 / 45), 1e-12);
}

TEST(Table, StepsHoldEachValueUntilTheNextPoint) {
  const TableFunction table({0, 1, 3}, {5, 7, 9}, Interpolation::steps, Outside::error);
  EXPECT_EQ(table.value(0), 5);
  EXPECT_EQ(table.value(0.999), 5);
  EXPECT_EQ(table.value(1), 7);
  EXPECT_EQ(table.value(2.999), 7);
  EXPECT_EQ(table.value(3), 9);
  EXPECT_EQ(table.slope(0.5), 0);
}

TEST(Table, WhatIsSaidHoldsOutside) {
  for (const Interpolation kind : all_interpolations) {
    const std::vector<double> x{1, 2, 2.5, 4}, y{3, 1, 2, 3};
    const TableFunction inside(x, y, kind, Outside::extrapolate);
    const TableFunction error(x, y, kind, Outside::error), hold(x, y, kind, Outside::hold);
    for (int order = 0; order <= 3; ++order) {
      for (const double at : {0.99, -7.0, 4.01, 1e9}) {
        EXPECT_TRUE(std::isnan(error.derivative(order, at)));
        EXPECT_EQ(hold.derivative(order, at), order > 0 ? 0 : 3);
        EXPECT_TRUE(std::isfinite(inside.derivative(order, at)));
      }
      for (const double at : {1.0, 1.7, 2.0, 3.3, 4.0}) {
        EXPECT_EQ(error.derivative(order, at), inside.derivative(order, at));
        EXPECT_EQ(hold.derivative(order, at), inside.derivative(order, at));
      }
    }
    EXPECT_FALSE(std::isnan(error.value(std::nextafter(4.0, 5.0))));  // rounding is not outside
    const TableFunction repeated(x, y, kind, Outside::periodic);
    for (int order = 0; order <= 3; ++order)
      for (double at = 1.05; at < 4; at += 0.1)
        for (const int turns : {-1000, -2, 1, 5})
          EXPECT_NEAR(repeated.derivative(order, at + 3 * turns), repeated.derivative(order, at),
                      1e-8 * (1 + std::fabs(repeated.derivative(order, at))));
  }
}

TEST(Table, APeriodicSplineIsSmoothAcrossItsEnds) {
  std::vector<double> x, y;
  for (int k = 0; k <= 24; ++k) {
    x.push_back(2 * std::numbers::pi * k / 24 + (k % 24 ? 0.02 * std::sin(3.0 * k) : 0));
    y.push_back(std::sin(x.back()));
  }
  y.back() = y.front() = 0;
  const TableFunction table(x, y, Interpolation::spline, Outside::periodic);
  EXPECT_TRUE(table.corners(2).empty());
  for (double at = -20; at < 20; at += 0.05) {
    EXPECT_NEAR(table.value(at), std::sin(at), 2e-4);
    EXPECT_NEAR(table.slope(at), std::cos(at), 5e-3);
  }
  // the smallest ones
  EXPECT_EQ(TableFunction({0, 1}, {4, 4}, Interpolation::spline, Outside::periodic).value(7.3), 4);
  const TableFunction three({0, 1, 3}, {0, 1, 0}, Interpolation::spline, Outside::periodic);
  EXPECT_TRUE(three.corners(2).empty());
  EXPECT_NEAR(three.value(4), 1, 1e-12);
  const TableFunction four({0, 1, 3, 4}, {0, 1, -2, 0}, Interpolation::spline, Outside::periodic);
  EXPECT_TRUE(four.corners(2).empty());
  EXPECT_NEAR(four.value(-1), -2, 1e-12);
}

TEST(Table, CornersAreWhereDerivativesJump) {
  const std::vector<double> x{0, 1, 2, 3}, y{0, 1, 1, 0};
  const auto corners = [&](Interpolation kind, Outside outside, int highest) {
    std::vector<std::pair<double, int>> list;
    for (const auto& c : TableFunction(x, y, kind, outside).corners(highest))
      list.emplace_back(c.x, c.order);
    return list;
  };
  using List = std::vector<std::pair<double, int>>;
  EXPECT_EQ(corners(Interpolation::linear, Outside::error, 2), (List{{1, 1}, {2, 1}}));
  EXPECT_EQ(corners(Interpolation::linear, Outside::error, 0), List{});
  EXPECT_EQ(corners(Interpolation::linear, Outside::hold, 2),
            (List{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  EXPECT_EQ(corners(Interpolation::linear, Outside::periodic, 2), (List{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(corners(Interpolation::steps, Outside::extrapolate, 2), (List{{1, 0}, {3, 0}}));
  EXPECT_EQ(corners(Interpolation::pchip, Outside::error, 1), List{});
  EXPECT_EQ(corners(Interpolation::pchip, Outside::error, 2), (List{{1, 2}, {2, 2}}));
  EXPECT_EQ(corners(Interpolation::spline, Outside::extrapolate, 2), List{});
  EXPECT_EQ(corners(Interpolation::spline, Outside::hold, 2), (List{{0, 1}, {3, 1}}));
}

TEST(Table, AnArgumentOutsideIsNotedWithTheRange) {
  const TableFunction table({0, 3}, {1, 2}, Interpolation::linear, Outside::error, "table 'w.csv'");
  clear_failure_note();
  table.note_outside(2);
  EXPECT_FALSE(has_failure_note());
  table.note_outside(3.25);
  const std::string note = take_failure_note();
  EXPECT_NE(note.find("table 'w.csv' is asked for its value at 3.25"), std::string::npos) << note;
  EXPECT_NE(note.find("from 0 to 3"), std::string::npos) << note;
  EXPECT_FALSE(has_failure_note());
}

}  // namespace
}  // namespace cartan::test
