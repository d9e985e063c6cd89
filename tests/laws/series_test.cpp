// The coefficient functions of src/lie/series.h against extended precision: values to a few units
// in the last place, derivatives by dual numbers, over all angles up to the full turn.
//
// The error is measured in eps (2.2e-16) relative to |f(x)| + |x f'(x)|: at a zero of f (sin t/t at
// the half turn) or at its pole no algorithm can do better than what the rounding of t itself
// costs. Up to the half turn, wherever |x f'| < 2 |f|, the relative error alone is demanded too.
#include <gtest/gtest.h>

#include <cstdio>

#include "angles.h"
#include "core/scalar.h"
#include "extended.h"
#include "lie/series.h"

namespace {

using namespace cartan::test;
using extended::Real;
using D = Dual<1>;

constexpr double roundoff = 2.220446049250313e-16;

struct Jet {
  Real value, slope, curvature;
};

struct SeriesWorst {
  double value = 0, slope = 0, relative = 0;
  void report(const char* name) const {
    std::printf("  %-26s value %.2f eps (relative, t <= pi: %.2f), derivative %.2f eps\n", name,
                value, relative, slope);
  }
};

double in_eps(Real error, Real scale) {
  return extended::to_double(extended::abs(error) / scale) / roundoff;
}

template <class F, class Reference>
SeriesWorst measure(F&& f, Reference&& reference, double largest) {
  SeriesWorst worst;
  for (double t : laws::angles(largest)) {
    const double x = t * t;
    const Real exact_x = x;
    const Jet r = reference(exact_x);
    const D y = f(D::variable(x, 0));
    EXPECT_EQ(y.a, f(D(x)).a);
    EXPECT_TRUE(std::isfinite(y.a) && std::isfinite(y.d[0])) << t;
    const Real scale = extended::abs(r.value) + extended::abs(exact_x * r.slope);
    worst.value = std::max(worst.value, in_eps(y.a - r.value, scale));
    if (t <= pi && extended::abs(exact_x * r.slope) < 2 * extended::abs(r.value))
      worst.relative = std::max(worst.relative, in_eps(y.a - r.value, extended::abs(r.value)));
    const Real slope_scale = extended::abs(r.slope) + extended::abs(exact_x * r.curvature);
    worst.slope = std::max(worst.slope, in_eps(y.d[0] - r.slope, slope_scale));
  }
  return worst;
}

Jet tail_jet(Real x, int k) {
  return {extended::tail(x, k), extended::tail_slope(x, k), extended::tail_curvature(x, k)};
}
Jet cotangent_jet(Real x) {
  const extended::Cotangent c(x);
  return {c.value, c.slope, c.curvature};
}
// the third derivatives, for the slopes' own slopes, by the series once more
Jet slope_jet(Real x, int k) {
  const Real third = -extended::factorial_series(
      x, k + 6, [](int j) { return Real(j + 1) * Real(j + 2) * Real(j + 3); });
  return {extended::tail_slope(x, k), extended::tail_curvature(x, k), third};
}

void demand(const char* name, const SeriesWorst& w, double value, double slope) {
  w.report(name);
  EXPECT_LE(w.value, value) << name;
  EXPECT_LE(w.relative, value) << name;
  EXPECT_LE(w.slope, slope) << name << ", derivative";
  EXPECT_GT(w.value, 0) << name << ": nothing was measured";
}

#define CARTAN_FUNCTION(name) [](const D& x) { return series::name(x); }

TEST(Series, cosine) {
  demand("cosine",
         measure(
             CARTAN_FUNCTION(cosine), [](Real x) { return tail_jet(x, 0); }, 2 * pi),
         4, 8);
}
TEST(Series, sinc) {
  demand("sinc",
         measure(
             CARTAN_FUNCTION(sinc), [](Real x) { return tail_jet(x, 1); }, 2 * pi),
         4, 8);
}
TEST(Series, sinc_from_the_half_angle) {
  auto half = [](const D& x) { return series::HalfAngle<D>(x).sinc; };
  demand("HalfAngle::sinc",
         measure(
             half, [](Real x) { return tail_jet(x, 1); }, 2 * pi),
         4, 8);
}
TEST(Series, exp2) {
  demand("exp2_coefficient",
         measure(
             CARTAN_FUNCTION(exp2_coefficient), [](Real x) { return tail_jet(x, 2); }, 2 * pi),
         4, 8);
}
TEST(Series, exp3) {
  demand("exp3_coefficient",
         measure(
             CARTAN_FUNCTION(exp3_coefficient), [](Real x) { return tail_jet(x, 3); }, 2 * pi),
         4, 8);
}
TEST(Series, exp2_slope) {
  demand("exp2_slope",
         measure(
             CARTAN_FUNCTION(exp2_slope), [](Real x) { return slope_jet(x, 2); }, 2 * pi),
         4, 8);
}
TEST(Series, exp3_slope) {
  demand("exp3_slope",
         measure(
             CARTAN_FUNCTION(exp3_slope), [](Real x) { return slope_jet(x, 3); }, 2 * pi),
         4, 8);
}
TEST(Series, dexp_inverse) {
  demand("dexp_inverse_coefficient",
         measure(CARTAN_FUNCTION(dexp_inverse_coefficient), cotangent_jet, 6.28), 4, 8);
}
TEST(Series, dexp_inverse_slope) {
  // no third derivative: its derivative's error is demanded purely relative
  auto reference = [](Real x) {
    const extended::Cotangent c(x);
    return Jet{c.slope, c.curvature, 0};
  };
  demand("dexp_inverse_slope", measure(CARTAN_FUNCTION(dexp_inverse_slope), reference, 6.28), 4, 8);
}

// atan(r)/r by its own series, summed in extended precision
TEST(Series, arc_ratio) {
  auto reference = [](Real y) {
    Real value = 0, slope = 0, curvature = 0, power = 1;  // power = (-y)^(j)
    for (int j = 0; j < 60; ++j) {
      value += power / (2 * j + 1);
      slope -= power * Real(j + 1) / (2 * j + 3);
      curvature += power * Real(j + 1) * Real(j + 2) / (2 * j + 5);
      power *= -y;
    }
    return Jet{value, slope, curvature};
  };
  const double largest = std::sqrt(series::arc_switch);
  demand("arc_ratio", measure(CARTAN_FUNCTION(arc_ratio), reference, largest), 4, 8);
}

// At zero the values and derivatives are the leading coefficients, to the last bit or nearly.
TEST(Series, at_zero) {
  const D zero = D::variable(0, 0);
  auto expect = [](const D& y, double value, double slope) {
    EXPECT_DOUBLE_EQ(y.a, value);
    EXPECT_DOUBLE_EQ(y.d[0], slope);
  };
  expect(series::cosine(zero), 1, -1. / 2);
  expect(series::sinc(zero), 1, -1. / 6);
  expect(series::exp2_coefficient(zero), 1. / 2, -1. / 24);
  expect(series::exp3_coefficient(zero), 1. / 6, -1. / 120);
  expect(series::exp2_slope(zero), -1. / 24, 2. / 720);
  expect(series::exp3_slope(zero), -1. / 120, 2. / 5040);
  expect(series::dexp_inverse_coefficient(zero), 1. / 12, 1. / 720);
  expect(series::dexp_inverse_slope(zero), 1. / 720, 2. / 30240);
  expect(series::arc_ratio(zero), 1, -1. / 3);
}

TEST(Series, pack_lanes) {
  using P = Pack<4>;
  P x;
  const double values[] = {0, 0.3, 3, 30};
  for (int k = 0; k < 4; ++k) x[k] = values[k];
  auto compare = [&](const P& y, auto&& f) {
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(y[k], f(values[k]), 4 * roundoff * std::fabs(y[k]));
  };
  compare(series::cosine(x), [](double v) { return series::cosine(v); });
  compare(series::sinc(x), [](double v) { return series::sinc(v); });
  compare(series::exp2_coefficient(x), [](double v) { return series::exp2_coefficient(v); });
  compare(series::exp3_coefficient(x), [](double v) { return series::exp3_coefficient(v); });
  compare(series::exp2_slope(x), [](double v) { return series::exp2_slope(v); });
  compare(series::exp3_slope(x), [](double v) { return series::exp3_slope(v); });
  compare(series::dexp_inverse_coefficient(x),
          [](double v) { return series::dexp_inverse_coefficient(v); });
  compare(series::dexp_inverse_slope(x), [](double v) { return series::dexp_inverse_slope(v); });
}

}  // namespace
