// A number with its derivatives along two directions and the mixed second one: a dual number of
// dual numbers, written out.
//
//   x = a + u e + w d + uw e d,     e e = d d = 0
//
// f(x) = f(a) + f' u e + f' w d + (f' uw + f'' u w) e d. One evaluation of a kernel over it gives a
// second derivative D2 f(u, w), exact. A scalar like those of core/scalar.h, for what only analyses
// need (change of eigenvalues): not every kernel is instantiated for it.
#pragma once

#include "core/scalar.h"

namespace cartan::core {

struct Mixed {
  double a = 0;
  double u = 0, w = 0;
  double uw = 0;

  Mixed() = default;
  Mixed(double value) : a(value) {}  // a constant; implicit on purpose, as for double
  Mixed(double value, double along_u, double along_w) : a(value), u(along_u), w(along_w) {}

  // f(x) with value, first and second derivative of f
  Mixed chain(double fa, double slope, double curvature) const {
    Mixed r(fa, slope * u, slope * w);
    r.uw = slope * uw + curvature * u * w;
    return r;
  }

  Mixed& operator+=(const Mixed& o) {
    a += o.a;
    u += o.u;
    w += o.w;
    uw += o.uw;
    return *this;
  }
  Mixed& operator-=(const Mixed& o) {
    a -= o.a;
    u -= o.u;
    w -= o.w;
    uw -= o.uw;
    return *this;
  }
  Mixed& operator*=(const Mixed& o) { return *this = *this * o; }
  Mixed& operator/=(const Mixed& o) { return *this = *this / o; }

  friend Mixed operator+(Mixed x, const Mixed& y) { return x += y; }
  friend Mixed operator-(Mixed x, const Mixed& y) { return x -= y; }
  friend Mixed operator-(const Mixed& x) { return Mixed(0) - x; }
  friend Mixed operator*(const Mixed& x, const Mixed& y) {
    Mixed r(x.a * y.a, x.a * y.u + y.a * x.u, x.a * y.w + y.a * x.w);
    r.uw = x.a * y.uw + y.a * x.uw + x.u * y.w + x.w * y.u;
    return r;
  }
  // q = x / y from q y = x
  friend Mixed operator/(const Mixed& x, const Mixed& y) {
    const double inverse = 1 / y.a, q = x.a / y.a;
    Mixed r(q, (x.u - q * y.u) * inverse, (x.w - q * y.w) * inverse);
    r.uw = (x.uw - q * y.uw - r.u * y.w - r.w * y.u) * inverse;
    return r;
  }
};

// f(x, y) with value, first and second derivatives of f.
struct TwoArgumentSlopes {
  double value, by_x, by_y, by_xx, by_xy, by_yy;
};
inline Mixed chain(const Mixed& x, const Mixed& y, const TwoArgumentSlopes& f) {
  Mixed r(f.value, f.by_x * x.u + f.by_y * y.u, f.by_x * x.w + f.by_y * y.w);
  r.uw = f.by_x * x.uw + f.by_y * y.uw + f.by_xx * x.u * x.w + f.by_xy * (x.u * y.w + x.w * y.u) +
         f.by_yy * y.u * y.w;
  return r;
}

inline Mixed sin(const Mixed& x) {
  const double s = std::sin(x.a);
  return x.chain(s, std::cos(x.a), -s);
}
inline Mixed cos(const Mixed& x) {
  const double c = std::cos(x.a);
  return x.chain(c, -std::sin(x.a), -c);
}
inline Mixed tan(const Mixed& x) {
  const double t = std::tan(x.a), slope = 1 + t * t;
  return x.chain(t, slope, 2 * t * slope);
}
inline Mixed asin(const Mixed& x) {
  const double slope = 1 / std::sqrt((1 - x.a) * (1 + x.a));
  return x.chain(std::asin(x.a), slope, x.a * slope * slope * slope);
}
inline Mixed acos(const Mixed& x) {
  const double slope = -1 / std::sqrt((1 - x.a) * (1 + x.a));
  return x.chain(std::acos(x.a), slope, x.a * slope * slope * slope);
}
inline Mixed atan(const Mixed& x) {
  const double slope = 1 / (1 + x.a * x.a);
  return x.chain(std::atan(x.a), slope, -2 * x.a * slope * slope);
}
inline Mixed atan2(const Mixed& y, const Mixed& x) {
  const double r2 = x.a * x.a + y.a * y.a, r4 = r2 * r2;
  return chain(y, x,
               {std::atan2(y.a, x.a), x.a / r2, -y.a / r2, -2 * x.a * y.a / r4,
                (y.a * y.a - x.a * x.a) / r4, 2 * x.a * y.a / r4});
}
inline Mixed sinh(const Mixed& x) {
  const double s = std::sinh(x.a);
  return x.chain(s, std::cosh(x.a), s);
}
inline Mixed cosh(const Mixed& x) {
  const double c = std::cosh(x.a);
  return x.chain(c, std::sinh(x.a), c);
}
inline Mixed tanh(const Mixed& x) {
  const double t = std::tanh(x.a), c = std::cosh(x.a), slope = 1 / (c * c);
  return x.chain(t, slope, -2 * t * slope);
}
inline Mixed exp(const Mixed& x) {
  const double e = std::exp(x.a);
  return x.chain(e, e, e);
}
inline Mixed log(const Mixed& x) {
  return x.chain(std::log(x.a), 1 / x.a, -1 / (x.a * x.a));
}
// At zero as for Dual: |x| has the subgradient zero there.
inline Mixed sqrt(const Mixed& x) {
  const double r = std::sqrt(x.a);
  return r > 0 ? x.chain(r, 0.5 / r, -0.25 / (r * x.a)) : x.chain(r, 0, 0);
}
inline Mixed abs(const Mixed& x) {
  return x.chain(std::fabs(x.a), x.a > 0 ? 1 : (x.a < 0 ? -1 : 0), 0);
}
// x^y with x <= 0: y must be a constant. Slopes that are infinite at x = 0 are zero, as for sqrt.
inline Mixed pow(const Mixed& x, const Mixed& y) {
  TwoArgumentSlopes f{std::pow(x.a, y.a), 0, 0, 0, 0, 0};
  const auto power = [&](double lower) {
    return x.a == 0 && y.a < lower ? 0.0 : std::pow(x.a, y.a - lower);
  };
  if (y.a != 0) f.by_x = y.a * power(1);
  if (y.a != 0 && y.a != 1) f.by_xx = y.a * (y.a - 1) * power(2);
  if (x.a > 0) {
    const double l = std::log(x.a);
    f.by_y = f.value * l;
    f.by_xy = power(1) * (1 + y.a * l);
    f.by_yy = f.by_y * l;
  }
  return chain(x, y, f);
}
inline bool less(const Mixed& x, const Mixed& y) {
  return x.a < y.a;
}
inline Mixed select(bool c, const Mixed& x, const Mixed& y) {
  return c ? x : y;
}
inline double value_of(const Mixed& x) {
  return x.a;
}
inline void sincos(const Mixed& x, Mixed& s, Mixed& c) {
  double sa, ca;
  sincos(x.a, sa, ca);
  s = x.chain(sa, ca, -sa);
  c = x.chain(ca, -sa, -ca);
}

}  // namespace cartan::core
