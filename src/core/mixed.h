// A number with its derivatives along three directions and the mixed ones of second and third
// order: dual numbers of dual numbers of dual numbers, written out.
//
//   x = a + u e + w d + v c + uw e d + uv e c + wv d c + uwv e d c,     e e = d d = c c = 0
//
// f(x) = f(a) + f' u e + .. + (f' uw + f'' u w) e d + ..
//        + (f' uwv + f'' (uw v + uv w + wv u) + f''' u w v) e d c.
// One evaluation of a kernel over it gives D2 f(u, w) and D3 f(u, w, v), exact. A scalar like those
// of core/scalar.h, for what only analyses need (change of eigenvalues, normal forms): not every
// kernel is instantiated for it.
#pragma once

#include "core/scalar.h"

namespace cartan::core {

struct Mixed {
  double a = 0;
  double u = 0, w = 0, v = 0;
  double uw = 0, uv = 0, wv = 0;
  double uwv = 0;

  Mixed() = default;
  Mixed(double value) : a(value) {}  // a constant; implicit on purpose, as for double
  Mixed(double value, double along_u, double along_w, double along_v = 0)
      : a(value), u(along_u), w(along_w), v(along_v) {}

  bool is_constant() const {
    return u == 0 && w == 0 && v == 0 && uw == 0 && uv == 0 && wv == 0 && uwv == 0;
  }

  // f(x) with value, first, second and third derivative of f
  Mixed chain(double fa, double first, double second, double third) const {
    Mixed r(fa, first * u, first * w, first * v);
    r.uw = first * uw + second * u * w;
    r.uv = first * uv + second * u * v;
    r.wv = first * wv + second * w * v;
    r.uwv = first * uwv + second * (uw * v + uv * w + wv * u) + third * u * w * v;
    return r;
  }

  Mixed& operator+=(const Mixed& o) {
    a += o.a;
    u += o.u;
    w += o.w;
    v += o.v;
    uw += o.uw;
    uv += o.uv;
    wv += o.wv;
    uwv += o.uwv;
    return *this;
  }
  Mixed& operator-=(const Mixed& o) {
    a -= o.a;
    u -= o.u;
    w -= o.w;
    v -= o.v;
    uw -= o.uw;
    uv -= o.uv;
    wv -= o.wv;
    uwv -= o.uwv;
    return *this;
  }
  Mixed& operator*=(const Mixed& o) { return *this = *this * o; }
  Mixed& operator/=(const Mixed& o) { return *this = *this / o; }

  friend Mixed operator+(Mixed x, const Mixed& y) { return x += y; }
  friend Mixed operator-(Mixed x, const Mixed& y) { return x -= y; }
  friend Mixed operator-(const Mixed& x) { return Mixed(0) - x; }
  friend Mixed operator*(const Mixed& x, const Mixed& y) {
    Mixed r(x.a * y.a, x.a * y.u + y.a * x.u, x.a * y.w + y.a * x.w, x.a * y.v + y.a * x.v);
    r.uw = x.a * y.uw + y.a * x.uw + x.u * y.w + x.w * y.u;
    r.uv = x.a * y.uv + y.a * x.uv + x.u * y.v + x.v * y.u;
    r.wv = x.a * y.wv + y.a * x.wv + x.w * y.v + x.v * y.w;
    r.uwv = x.a * y.uwv + y.a * x.uwv + x.u * y.wv + x.w * y.uv + x.v * y.uw + x.uw * y.v +
            x.uv * y.w + x.wv * y.u;
    return r;
  }
  // q = x / y from q y = x
  friend Mixed operator/(const Mixed& x, const Mixed& y) {
    const double inverse = 1 / y.a, q = x.a / y.a;
    Mixed r(q, (x.u - q * y.u) * inverse, (x.w - q * y.w) * inverse, (x.v - q * y.v) * inverse);
    r.uw = (x.uw - q * y.uw - r.u * y.w - r.w * y.u) * inverse;
    r.uv = (x.uv - q * y.uv - r.u * y.v - r.v * y.u) * inverse;
    r.wv = (x.wv - q * y.wv - r.w * y.v - r.v * y.w) * inverse;
    r.uwv = (x.uwv - q * y.uwv - r.u * y.wv - r.w * y.uv - r.v * y.uw - r.uw * y.v - r.uv * y.w -
             r.wv * y.u) *
            inverse;
    return r;
  }
};

inline Mixed sin(const Mixed& x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return x.chain(s, c, -s, -c);
}
inline Mixed cos(const Mixed& x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return x.chain(c, -s, -c, s);
}
inline Mixed tan(const Mixed& x) {
  const double t = std::tan(x.a), slope = 1 + t * t;
  return x.chain(t, slope, 2 * t * slope, 2 * slope * (slope + 2 * t * t));
}
// With s = (1 - x^2)^(-1/2): s' = x s^3, s'' = s^3 + 3 x^2 s^5.
inline Mixed asin(const Mixed& x) {
  const double s = 1 / std::sqrt((1 - x.a) * (1 + x.a)), s3 = s * s * s;
  return x.chain(std::asin(x.a), s, x.a * s3, s3 * (1 + 3 * x.a * x.a * s * s));
}
inline Mixed acos(const Mixed& x) {
  const double s = 1 / std::sqrt((1 - x.a) * (1 + x.a)), s3 = s * s * s;
  return x.chain(std::acos(x.a), -s, -x.a * s3, -s3 * (1 + 3 * x.a * x.a * s * s));
}
inline Mixed atan(const Mixed& x) {
  const double slope = 1 / (1 + x.a * x.a), square = slope * slope;
  return x.chain(std::atan(x.a), slope, -2 * x.a * square, square * (8 * x.a * x.a * slope - 2));
}
// The angle from the direction of the values: there atan(t) = t - t^3 / 3.
inline Mixed atan2(const Mixed& y, const Mixed& x) {
  const Mixed t = (Mixed(x.a) * y - Mixed(y.a) * x) / (Mixed(x.a) * x + Mixed(y.a) * y);
  Mixed r = t.chain(0, 1, 0, -2);
  r.a = std::atan2(y.a, x.a);
  return r;
}
inline Mixed sinh(const Mixed& x) {
  const double s = std::sinh(x.a), c = std::cosh(x.a);
  return x.chain(s, c, s, c);
}
inline Mixed cosh(const Mixed& x) {
  const double s = std::sinh(x.a), c = std::cosh(x.a);
  return x.chain(c, s, c, s);
}
inline Mixed tanh(const Mixed& x) {
  const double t = std::tanh(x.a), c = std::cosh(x.a), slope = 1 / (c * c);
  return x.chain(t, slope, -2 * t * slope, slope * (4 * t * t - 2 * slope));
}
inline Mixed exp(const Mixed& x) {
  const double e = std::exp(x.a);
  return x.chain(e, e, e, e);
}
inline Mixed log(const Mixed& x) {
  const double inverse = 1 / x.a;
  return x.chain(std::log(x.a), inverse, -inverse * inverse, 2 * inverse * inverse * inverse);
}
// At zero as for Dual: |x| has the subgradient zero there.
inline Mixed sqrt(const Mixed& x) {
  const double r = std::sqrt(x.a);
  if (!(r > 0)) return x.chain(r, 0, 0, 0);
  return x.chain(r, 0.5 / r, -0.25 / (r * x.a), 0.375 / (r * x.a * x.a));
}
inline Mixed abs(const Mixed& x) {
  return x.chain(std::fabs(x.a), x.a > 0 ? 1 : (x.a < 0 ? -1 : 0), 0, 0);
}
// x^y with x <= 0: y must be a constant. Slopes that are infinite at x = 0 are zero, as for sqrt.
inline Mixed pow(const Mixed& x, const Mixed& y) {
  const double value = std::pow(x.a, y.a);
  if (x.a > 0 && !y.is_constant()) {
    Mixed r = exp(y * log(x));
    r.a = value;
    return r;
  }
  double slopes[3], factor = 1;
  for (int k = 0; k < 3; ++k) {  // y (y - 1) .. x^(y - k - 1)
    factor *= y.a - k;
    const bool infinite = x.a == 0 && y.a < k + 1;
    slopes[k] = factor == 0 || infinite ? 0 : factor * std::pow(x.a, y.a - (k + 1));
  }
  return x.chain(value, slopes[0], slopes[1], slopes[2]);
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
  s = x.chain(sa, ca, -sa, -ca);
  c = x.chain(ca, -sa, -ca, sa);
}

}  // namespace cartan::core
