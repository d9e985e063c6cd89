// A number that moves: value, first and second time derivative. Arithmetic is the product rule and
// nothing else, so whatever is written as a formula of positions gives velocities and accelerations
// without a formula for them.
#pragma once

#include "core/scalar.h"
#include "core/vec3.h"
#include "lie/quaternion.h"

namespace cartan::test {

struct Jet {
  double a = 0, d = 0, dd = 0;

  Jet() = default;
  Jet(double value) : a(value) {}
  Jet(double value, double rate, double second) : a(value), d(rate), dd(second) {}

  Jet& operator+=(const Jet& o) { return *this = *this + o; }
  Jet& operator-=(const Jet& o) { return *this = *this - o; }
  friend Jet operator+(const Jet& x, const Jet& y) { return {x.a + y.a, x.d + y.d, x.dd + y.dd}; }
  friend Jet operator-(const Jet& x, const Jet& y) { return {x.a - y.a, x.d - y.d, x.dd - y.dd}; }
  friend Jet operator-(const Jet& x) { return {-x.a, -x.d, -x.dd}; }
  friend Jet operator*(const Jet& x, const Jet& y) {
    return {x.a * y.a, x.d * y.a + x.a * y.d, x.dd * y.a + 2 * x.d * y.d + x.a * y.dd};
  }
  friend Jet operator/(const Jet& x, const Jet& y) {  // from x = z y
    const double z = x.a / y.a, zd = (x.d - z * y.d) / y.a;
    return {z, zd, (x.dd - 2 * zd * y.d - z * y.dd) / y.a};
  }
};

inline Jet sin(const Jet& x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return {s, c * x.d, c * x.dd - s * x.d * x.d};
}
inline Jet cos(const Jet& x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return {c, -s * x.d, -s * x.dd - c * x.d * x.d};
}

inline Vec3<double> value(const Vec3<Jet>& x) {
  return {x.x.a, x.y.a, x.z.a};
}
inline Vec3<double> rate(const Vec3<Jet>& x) {
  return {x.x.d, x.y.d, x.z.d};
}
inline Vec3<double> second(const Vec3<Jet>& x) {
  return {x.x.dd, x.y.dd, x.z.dd};
}
inline Mat3<double> value(const Mat3<Jet>& m) {
  return Mat3<double>::columns(value(m.c[0]), value(m.c[1]), value(m.c[2]));
}
inline Mat3<double> rate(const Mat3<Jet>& m) {
  return Mat3<double>::columns(rate(m.c[0]), rate(m.c[1]), rate(m.c[2]));
}
inline Mat3<double> second(const Mat3<Jet>& m) {
  return Mat3<double>::columns(second(m.c[0]), second(m.c[1]), second(m.c[2]));
}

}  // namespace cartan::test
