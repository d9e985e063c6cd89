// Three-dimensional vectors and matrices over any scalar: all the linear algebra rigid bodies need,
// with sizes known at compile time and nothing that allocates.
//
// Mat3 is stored by columns (m.c[j] is column j): R * v is a sum of three scaled columns.
// Sym3 keeps the six entries of a symmetric matrix.
#pragma once

#include "core/scalar.h"

namespace cartan::core {

template <class S>
struct Vec3 {
  S x{}, y{}, z{};

  Vec3() = default;
  Vec3(const S& x_, const S& y_, const S& z_) : x(x_), y(y_), z(z_) {}
  template <class T>
  requires(!std::is_same_v<T, S> && std::is_convertible_v<T, S>) explicit Vec3(const Vec3<T>& o)
      : x(o.x), y(o.y), z(o.z) {}

  S& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  const S& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }

  Vec3& operator+=(const Vec3& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  Vec3& operator-=(const Vec3& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend Vec3 operator*(const S& s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Vec3 operator*(const Vec3& a, const S& s) { return {s * a.x, s * a.y, s * a.z}; }
};

template <class S>
S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
// a . b + c . d
template <class S>
S dot(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c, const Vec3<S>& d) {
  return dot(a, b) + dot(c, d);
}
template <class S>
Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S>
S norm2(const Vec3<S>& a) {
  return dot(a, a);
}
template <class S>
S norm(const Vec3<S>& a) {
  return sqrt(dot(a, a));
}

template <class S>
struct Sym3;

template <class S>
struct Mat3 {
  Vec3<S> c[3];  // columns

  static Mat3 identity() {
    Mat3 m;
    m.c[0].x = m.c[1].y = m.c[2].z = S(1);
    return m;
  }
  static Mat3 columns(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& d) {
    Mat3 m;
    m.c[0] = a, m.c[1] = b, m.c[2] = d;
    return m;
  }
  Mat3() = default;
  template <class T>
  requires(!std::is_same_v<T, S> && std::is_convertible_v<T, S>) explicit Mat3(const Mat3<T>& o)
      : c{Vec3<S>(o.c[0]), Vec3<S>(o.c[1]), Vec3<S>(o.c[2])} {}

  S& operator()(int row, int column) { return c[column][row]; }
  const S& operator()(int row, int column) const { return c[column][row]; }

  friend Vec3<S> operator*(const Mat3& m, const Vec3<S>& v) {
    return {m.c[0].x * v.x + m.c[1].x * v.y + m.c[2].x * v.z,
            m.c[0].y * v.x + m.c[1].y * v.y + m.c[2].y * v.z,
            m.c[0].z * v.x + m.c[1].z * v.y + m.c[2].z * v.z};
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
  friend Mat3 operator*(const S& s, const Mat3& a) {
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

template <class S>
Mat3<S> transpose(const Mat3<S>& m) {
  return Mat3<S>::columns({m.c[0].x, m.c[1].x, m.c[2].x}, {m.c[0].y, m.c[1].y, m.c[2].y},
                          {m.c[0].z, m.c[1].z, m.c[2].z});
}
// m^T v without forming the transpose
template <class S>
Vec3<S> transpose_times(const Mat3<S>& m, const Vec3<S>& v) {
  return {dot(m.c[0], v), dot(m.c[1], v), dot(m.c[2], v)};
}
template <class S>
Mat3<S> hat(const Vec3<S>& a) {
  return Mat3<S>::columns({S(0), a.z, -a.y}, {-a.z, S(0), a.x}, {a.y, -a.x, S(0)});
}
// hat(a) m, column by column
template <class S>
Mat3<S> cross(const Vec3<S>& a, const Mat3<S>& m) {
  return Mat3<S>::columns(cross(a, m.c[0]), cross(a, m.c[1]), cross(a, m.c[2]));
}
template <class S>
Mat3<S> outer(const Vec3<S>& a, const Vec3<S>& b) {
  return Mat3<S>::columns(b.x * a, b.y * a, b.z * a);
}
template <class S>
S trace(const Mat3<S>& m) {
  return m.c[0].x + m.c[1].y + m.c[2].z;
}
template <class S>
S determinant(const Mat3<S>& m) {
  return dot(m.c[0], cross(m.c[1], m.c[2]));
}

template <class S>
struct Sym3 {
  S xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  static Sym3 diagonal(const S& a, const S& b, const S& d) { return {a, b, d, S(0), S(0), S(0)}; }

  friend Vec3<S> operator*(const Sym3& m, const Vec3<S>& v) {
    return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
            m.xz * v.x + m.yz * v.y + m.zz * v.z};
  }
  friend Mat3<S> operator*(const Sym3& m, const Mat3<S>& n) {
    return Mat3<S>::columns(m * n.c[0], m * n.c[1], m * n.c[2]);
  }
  friend Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
  }
  friend Sym3 operator-(const Sym3& a, const Sym3& b) {
    return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
  }
  friend Sym3 operator*(const S& s, const Sym3& a) {
    return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
  }
  Sym3& operator+=(const Sym3& o) { return *this = *this + o; }
  Sym3& operator-=(const Sym3& o) { return *this = *this - o; }
};

// m v for a diagonal m
template <class S>
Vec3<S> scaled(const Sym3<S>& m, const Vec3<S>& v) {
  return {m.xx * v.x, m.yy * v.y, m.zz * v.z};
}
template <class S>
Mat3<S> full(const Sym3<S>& m) {
  return Mat3<S>::columns({m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz});
}
// the symmetric part's upper triangle of a matrix known to be symmetric
template <class S>
Sym3<S> symmetric(const Mat3<S>& m) {
  return {m.c[0].x, m.c[1].y, m.c[2].z, m.c[1].x, m.c[2].x, m.c[2].y};
}
template <class S>
Sym3<S> outer(const Vec3<S>& a) {
  return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
}
// |a|^2 1 - a a^T = -hat(a)^2
template <class S>
Sym3<S> minus_hat_squared(const Vec3<S>& a) {
  const S x2 = a.x * a.x, y2 = a.y * a.y, z2 = a.z * a.z;
  return {y2 + z2, x2 + z2, x2 + y2, -(a.x * a.y), -(a.x * a.z), -(a.y * a.z)};
}
// the upper triangle of a b^T, of a product a b^T and of a^T b, where these are symmetric
template <class S>
Sym3<S> symmetric_outer(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z};
}
template <class S>
Sym3<S> symmetric_times_transpose(const Mat3<S>& a, const Mat3<S>& b) {
  auto entry = [&](int i, int j) {
    return a(i, 0) * b(j, 0) + a(i, 1) * b(j, 1) + a(i, 2) * b(j, 2);
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}
template <class S>
Sym3<S> symmetric_transpose_times(const Mat3<S>& a, const Mat3<S>& b) {
  auto entry = [&](int i, int j) { return dot(a.c[i], b.c[j]); };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}
// a^T b, known to be symmetric, whole
template <class S>
Mat3<S> whole_transpose_times(const Mat3<S>& a, const Mat3<S>& b) {
  return full(symmetric_transpose_times(a, b));
}
// a - m v, for an a that is known before v
template <class S>
Vec3<S> less_product(const Vec3<S>& a, const Mat3<S>& m, const Vec3<S>& v) {
  return a - m * v;
}
// m - k n, m - k a a^T and m - k a b^T, for a factor k that is known later than the rest
template <class S>
Mat3<S> less_scaled(const Mat3<S>& m, const S& k, const Mat3<S>& n) {
  return m - k * n;
}
template <class S>
Sym3<S> less_outer(const Sym3<S>& m, const S& k, const Vec3<S>& a) {
  return m - symmetric_outer(k * a, a);
}
template <class S>
Mat3<S> less_outer(const Mat3<S>& m, const S& k, const Vec3<S>& a, const Vec3<S>& b) {
  return m - outer(k * a, b);
}
// the lower triangle of m, put where the upper one is
template <class S>
Sym3<S> symmetric_lower(const Mat3<S>& m) {
  return {m.c[0].x, m.c[1].y, m.c[2].z, m.c[0].y, m.c[0].z, m.c[1].z};
}
// m hat(a)^T: its rows are a x (row of m)
template <class S>
Mat3<S> cross_each_row(const Vec3<S>& a, const Mat3<S>& m) {
  return Mat3<S>::columns(a.y * m.c[2] - a.z * m.c[1], a.z * m.c[0] - a.x * m.c[2],
                          a.x * m.c[1] - a.y * m.c[0]);
}
// R m R^T
template <class S>
Sym3<S> rotate(const Mat3<S>& R, const Sym3<S>& m) {
  return symmetric_times_transpose(R * full(m), R);
}
// R diag(a, b, c) R^T
template <class S>
Sym3<S> rotate_principal(const Mat3<S>& R, const Sym3<S>& m) {
  return symmetric_times_transpose(Mat3<S>::columns(m.xx * R.c[0], m.yy * R.c[1], m.zz * R.c[2]),
                                   R);
}
// m adjugate(m) = determinant 1
template <class S>
Sym3<S> adjugate(const Sym3<S>& m, S& determinant) {
  const S a = m.yy * m.zz - m.yz * m.yz;
  const S b = m.xz * m.yz - m.xy * m.zz;
  const S d = m.xy * m.yz - m.xz * m.yy;
  determinant = m.xx * a + m.xy * b + m.xz * d;
  return {a, m.xx * m.zz - m.xz * m.xz, m.xx * m.yy - m.xy * m.xy, b, d, m.xy * m.xz - m.xx * m.yz};
}
template <class S>
Sym3<S> inverse(const Sym3<S>& m) {
  S determinant;
  const Sym3<S> a = adjugate(m, determinant);
  return (S(1) / determinant) * a;
}

}  // namespace cartan::core

#if defined(__AVX__)
#include "core/lanes/vec3_double.h"
#endif
