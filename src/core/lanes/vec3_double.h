// Vectors of plain numbers: three and a zero in one register of the processor. The same operations
// as those of vec3.h, written for whole vectors; included by it where a register holds four
// numbers.
#pragma once

#include "core/lanes/lanes4.h"

namespace cartan::core {

template <>
struct alignas(32) Vec3<double> {
  double x = 0, y = 0, z = 0, zero = 0;

  Vec3() = default;
  Vec3(double x_, double y_, double z_) : x(x_), y(y_), z(z_) {}
  explicit Vec3(Lanes4 all) { __builtin_memcpy(this, &all, sizeof all); }
  template <class T>
  requires(!std::is_same_v<T, double> &&
           std::is_convertible_v<T, double>) explicit Vec3(const Vec3<T>& o)
      : x(o.x), y(o.y), z(o.z) {}

  Lanes4 lanes() const {
    Lanes4 all;
    __builtin_memcpy(&all, this, sizeof all);
    return all;
  }

  double& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  const double& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }

  Vec3& operator+=(const Vec3& o) { return *this = *this + o; }
  Vec3& operator-=(const Vec3& o) { return *this = *this - o; }
  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return Vec3(a.lanes() + b.lanes()); }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return Vec3(a.lanes() - b.lanes()); }
  friend Vec3 operator-(const Vec3& a) { return Vec3(-a.lanes()); }
  friend Vec3 operator*(double s, const Vec3& a) { return Vec3(s * a.lanes()); }
  friend Vec3 operator*(const Vec3& a, double s) { return Vec3(s * a.lanes()); }
};

inline Vec3<double> cross(const Vec3<double>& a, const Vec3<double>& b) {
  const Lanes4 x = a.lanes(), y = b.lanes();
  const Lanes4 x1 = __builtin_shufflevector(x, x, 1, 2, 0, 3),
               x2 = __builtin_shufflevector(x, x, 2, 0, 1, 3),
               y1 = __builtin_shufflevector(y, y, 1, 2, 0, 3),
               y2 = __builtin_shufflevector(y, y, 2, 0, 1, 3);
  return Vec3<double>(x1 * y2 - x2 * y1);
}
inline double dot(const Vec3<double>& a, const Vec3<double>& b) {
  const Lanes4 t = a.lanes() * b.lanes();
  return t[0] + t[1] + t[2];
}

inline double dot(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c,
                  const Vec3<double>& d) {
  const Lanes4 t = a.lanes() * b.lanes() + c.lanes() * d.lanes();
  return t[0] + t[1] + t[2];
}

template <>
struct alignas(32) Sym3<double> {
  double xx = 0, yy = 0, zz = 0;
  double zero_on = 0;
  double xy = 0, xz = 0, yz = 0;
  double zero_beside = 0;

  Sym3() = default;
  Sym3(double xx_, double yy_, double zz_, double xy_, double xz_, double yz_)
      : xx(xx_), yy(yy_), zz(zz_), xy(xy_), xz(xz_), yz(yz_) {}
  Sym3(Lanes4 diagonal, Lanes4 beside) {
    __builtin_memcpy(&xx, &diagonal, sizeof diagonal);
    __builtin_memcpy(&xy, &beside, sizeof beside);
  }
  Lanes4 main() const {
    Lanes4 a;
    __builtin_memcpy(&a, &xx, sizeof a);
    return a;
  }
  Lanes4 beside() const {
    Lanes4 a;
    __builtin_memcpy(&a, &xy, sizeof a);
    return a;
  }

  static Sym3 diagonal(double a, double b, double d) { return {a, b, d, 0, 0, 0}; }

  friend Vec3<double> operator*(const Sym3& m, const Vec3<double>& v) {
    const Lanes4 o = m.beside(), a = v.lanes();
    const Lanes4 first = __builtin_shufflevector(o, o, 0, 0, 1, 3),
                 second = __builtin_shufflevector(o, o, 1, 2, 2, 3);
    // the compiler multiplies the second product first: that which needs nothing moved
    return Vec3<double>((first * __builtin_shufflevector(a, a, 1, 0, 0, 3) + m.main() * a) +
                        second * __builtin_shufflevector(a, a, 2, 2, 1, 3));
  }
  friend Mat3<double> operator*(const Sym3& m, const Mat3<double>& n);
  friend Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.main() + b.main(), a.beside() + b.beside()};
  }
  friend Sym3 operator-(const Sym3& a, const Sym3& b) {
    return {a.main() - b.main(), a.beside() - b.beside()};
  }
  friend Sym3 operator*(double s, const Sym3& a) { return {s * a.main(), s * a.beside()}; }
  Sym3& operator+=(const Sym3& o) { return *this = *this + o; }
  Sym3& operator-=(const Sym3& o) { return *this = *this - o; }
};

template <>
struct Mat3<double> {
  Vec3<double> c[3];  // columns

  static Mat3 identity() { return columns({1, 0, 0}, {0, 1, 0}, {0, 0, 1}); }
  static Mat3 columns(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& d) {
    Mat3 m;
    m.c[0] = a, m.c[1] = b, m.c[2] = d;
    return m;
  }
  Mat3() = default;
  template <class T>
  requires(!std::is_same_v<T, double> &&
           std::is_convertible_v<T, double>) explicit Mat3(const Mat3<T>& o)
      : c{Vec3<double>(o.c[0]), Vec3<double>(o.c[1]), Vec3<double>(o.c[2])} {}

  double& operator()(int row, int column) { return c[column][row]; }
  const double& operator()(int row, int column) const { return c[column][row]; }

  friend Vec3<double> operator*(const Mat3& m, const Vec3<double>& v) {
    return Vec3<double>(m.c[0].lanes() * v.x + m.c[1].lanes() * v.y + m.c[2].lanes() * v.z);
  }
  friend Mat3 operator*(const Mat3& a, const Mat3& b) {
    return columns(a * b.c[0], a * b.c[1], a * b.c[2]);
  }
  friend Mat3 operator+(const Mat3& a, const Mat3& b) {
    return columns(a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]);
  }
  friend Mat3 operator-(const Mat3& a, const Mat3& b) {
    return columns(a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]);
  }
  friend Mat3 operator-(const Mat3& a) { return columns(-a.c[0], -a.c[1], -a.c[2]); }
  friend Mat3 operator*(double s, const Mat3& a) {
    return columns(s * a.c[0], s * a.c[1], s * a.c[2]);
  }
  Mat3& operator+=(const Mat3& o) {
    for (int j = 0; j < 3; ++j) c[j] += o.c[j];
    return *this;
  }
  Mat3& operator-=(const Mat3& o) {
    for (int j = 0; j < 3; ++j) c[j] -= o.c[j];
    return *this;
  }
};
inline Mat3<double> operator*(const Sym3<double>& m, const Mat3<double>& n) {
  return Mat3<double>::columns(m * n.c[0], m * n.c[1], m * n.c[2]);
}

inline Mat3<double> transpose(const Mat3<double>& m) {
  const Lanes4 a = m.c[0].lanes(), b = m.c[1].lanes(), c = m.c[2].lanes();
  const Lanes4 low = __builtin_shufflevector(a, b, 0, 4, 2, 6);      // a.x b.x a.z b.z
  const Lanes4 high = __builtin_shufflevector(a, b, 1, 5, 3, 7);     // a.y b.y 0 0
  const Lanes4 c_pairs = __builtin_shufflevector(c, c, 0, 3, 1, 3);  // c.x 0 c.y 0
  return Mat3<double>::columns(Vec3<double>(__builtin_shufflevector(low, c_pairs, 0, 1, 4, 5)),
                               Vec3<double>(__builtin_shufflevector(high, c_pairs, 0, 1, 6, 7)),
                               Vec3<double>(__builtin_shufflevector(low, c, 2, 3, 6, 7)));
}
inline Vec3<double> transpose_times(const Mat3<double>& m, const Vec3<double>& v) {
  return transpose(m) * v;
}
inline Mat3<double> outer(const Vec3<double>& a, const Vec3<double>& b) {
  return Mat3<double>::columns(b.x * a, b.y * a, b.z * a);
}
inline Vec3<double> scaled(const Sym3<double>& m, const Vec3<double>& v) {
  return Vec3<double>(m.main() * v.lanes());
}
inline Mat3<double> full(const Sym3<double>& m) {
  const Lanes4 d = m.main(), o = m.beside();
  return Mat3<double>::columns(Vec3<double>(__builtin_shufflevector(d, o, 0, 4, 5, 3)),
                               Vec3<double>(__builtin_shufflevector(d, o, 4, 1, 6, 3)),
                               Vec3<double>(__builtin_shufflevector(d, o, 5, 6, 2, 3)));
}
inline Sym3<double> symmetric(const Mat3<double>& m) {
  const Lanes4 a = m.c[0].lanes(), b = m.c[1].lanes(), c = m.c[2].lanes();
  const Lanes4 diagonal =
      __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 5, 2, 7), c, 0, 1, 6, 7);
  const Lanes4 beside = __builtin_shufflevector(b, c, 0, 4, 5, 3);
  return {diagonal, beside};
}

inline Sym3<double> symmetric_outer(const Vec3<double>& a, const Vec3<double>& b) {
  const Lanes4 x = a.lanes(), y = b.lanes();
  return {x * y,
          __builtin_shufflevector(x, x, 0, 0, 1, 3) * __builtin_shufflevector(y, y, 1, 2, 2, 3)};
}
inline Sym3<double> symmetric_times_transpose(const Mat3<double>& a, const Mat3<double>& b) {
  Lanes4 first[3], second[3], x[3], y[3];
  for (int k = 0; k < 3; ++k) {
    x[k] = a.c[k].lanes(), y[k] = b.c[k].lanes();
    first[k] = __builtin_shufflevector(x[k], x[k], 0, 0, 1, 3);
    second[k] = __builtin_shufflevector(y[k], y[k], 1, 2, 2, 3);
  }
  return {x[0] * y[0] + x[1] * y[1] + x[2] * y[2],
          first[0] * second[0] + first[1] * second[1] + first[2] * second[2]};
}
inline Sym3<double> symmetric_transpose_times(const Mat3<double>& a, const Mat3<double>& b) {
  return symmetric(transpose(a) * b);
}
inline Sym3<double> symmetric_lower(const Mat3<double>& m) {
  const Lanes4 a = m.c[0].lanes(), b = m.c[1].lanes(), c = m.c[2].lanes();
  const Lanes4 ab = __builtin_shufflevector(a, b, 0, 5, 2, 7);
  return {__builtin_shufflevector(ab, c, 0, 1, 6, 7), __builtin_shufflevector(a, b, 1, 2, 6, 3)};
}
inline Mat3<double> cross_each_row(const Vec3<double>& a, const Mat3<double>& m) {
  const Lanes4 x = m.c[0].lanes(), y = m.c[1].lanes(), z = m.c[2].lanes();
  return Mat3<double>::columns(Vec3<double>(a.y * z - a.z * y), Vec3<double>(a.z * x - a.x * z),
                               Vec3<double>(a.x * y - a.y * x));
}
inline Mat3<double> whole_transpose_times(const Mat3<double>& a, const Mat3<double>& b) {
  return transpose(a) * b;
}
inline Vec3<double> less_product(const Vec3<double>& a, const Mat3<double>& m,
                                 const Vec3<double>& v) {
  return Vec3<double>(a.lanes() - m.c[0].lanes() * v.x - m.c[1].lanes() * v.y -
                      m.c[2].lanes() * v.z);
}
inline Mat3<double> less_scaled(const Mat3<double>& m, double k, const Mat3<double>& n) {
  return Mat3<double>::columns(Vec3<double>(m.c[0].lanes() - k * n.c[0].lanes()),
                               Vec3<double>(m.c[1].lanes() - k * n.c[1].lanes()),
                               Vec3<double>(m.c[2].lanes() - k * n.c[2].lanes()));
}
inline Sym3<double> less_outer(const Sym3<double>& m, double k, const Vec3<double>& a) {
  const Sym3<double> n = symmetric_outer(a, a);
  return {m.main() - k * n.main(), m.beside() - k * n.beside()};
}
inline Mat3<double> less_outer(const Mat3<double>& m, double k, const Vec3<double>& a,
                               const Vec3<double>& b) {
  return less_scaled(m, k, outer(a, b));
}
// (yy zz, xx zz, xx yy) - (yz, xz, xy)^2 and (xz yz, xy yz, xy xz) - (xy zz, xz yy, yz xx)
inline Sym3<double> adjugate(const Sym3<double>& m, double& determinant) {
  const Lanes4 d = m.main(), o = m.beside();
  const Lanes4 back = __builtin_shufflevector(o, o, 2, 1, 0, 3);
  const Sym3<double> a{
      __builtin_shufflevector(d, d, 1, 0, 0, 3) * __builtin_shufflevector(d, d, 2, 2, 1, 3) -
          back * back,
      __builtin_shufflevector(o, o, 1, 0, 0, 3) * __builtin_shufflevector(o, o, 2, 2, 1, 3) -
          o * __builtin_shufflevector(d, d, 2, 1, 0, 3)};
  const Lanes4 on = d * a.main(), beside = o * a.beside();
  determinant = on[0] + beside[0] + beside[1];
  return a;
}
inline Sym3<double> inverse(const Sym3<double>& m) {
  double determinant;
  const Sym3<double> a = adjugate(m, determinant);
  return (1 / determinant) * a;
}

}  // namespace cartan::core
