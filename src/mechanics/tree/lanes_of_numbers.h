// Eight numbers side by side, at any address: columns of motion_slopes.h.
#pragma once

#include <type_traits>

#include "core/vec3.h"

namespace cartan::mechanics::lanes {

inline constexpr int width = 8;

typedef double Lanes __attribute__((vector_size(64)));

inline Lanes load(const double* at) {
  Lanes r;
  __builtin_memcpy(&r, at, sizeof r);
  return r;
}
inline void put(double* at, const Lanes& value) {
  __builtin_memcpy(at, &value, sizeof value);
}
// The first `count` of them; halves that overlap.
inline void put_part(double* at, const Lanes& value, int count) {
  if (count >= width) return put(at, value);
  double all[width];
  put(all, value);
  const auto copy = [&](int first, auto size) {
    __builtin_memcpy(at + first, all + first, size() * sizeof(double));
  };
  using Four = std::integral_constant<int, 4>;
  using Pair = std::integral_constant<int, 2>;
  using One = std::integral_constant<int, 1>;
  if (count >= 4) {
    copy(0, Four());
    copy(count - 4, Four());
  } else if (count >= 2) {
    copy(0, Pair());
    copy(count - 2, Pair());
  } else if (count == 1) {
    copy(0, One());
  }
}
// factor * row, numbers of all columns from `row` on.
struct ScaledRow {
  double factor;
  const double* row;
};

// Rows become columns.
inline void transpose(Lanes (&m)[width]) {
  Lanes a[width], b[width];
  for (int k = 0; k < width; k += 2) {
    a[k] = __builtin_shufflevector(m[k], m[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[k + 1] = __builtin_shufflevector(m[k], m[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < width; k += 4)
    for (int i = 0; i < 2; ++i) {
      b[k + i] = __builtin_shufflevector(a[k + i], a[k + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[k + i + 2] = __builtin_shufflevector(a[k + i], a[k + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; ++k) {
    m[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
inline int round_up(int n) {
  return (n + width - 1) / width * width;
}

// Vectors of several columns. Two: by displacement and by speed. Four: directions of a dual number.
typedef double Two __attribute__((vector_size(16)));
typedef double Four __attribute__((vector_size(32)));

template <class L>
struct VectorsOf {
  L x, y, z;
  L& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  const L& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  VectorsOf& operator+=(const VectorsOf& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  VectorsOf& operator-=(const VectorsOf& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
};
using LaneVector = VectorsOf<Lanes>;

template <class L>
struct VectorType {
  using type = VectorsOf<L>;
};
template <>
struct VectorType<double> {
  using type = Vec3<double>;
};

// Rows `ld` numbers apart; of one group they stand one behind the other.
inline LaneVector load_vector(const double* at, int ld = width) {
  return {load(at), load(at + ld), load(at + 2 * ld)};
}
inline void put_vector(double* at, const LaneVector& a, int ld = width) {
  put(at, a.x);
  put(at + ld, a.y);
  put(at + 2 * ld, a.z);
}
inline VectorsOf<Four> side_by_side(const Vec3<double>& a, const Vec3<double>& b) {
  return {Four{a.x, b.x, 0, 0}, Four{a.y, b.y, 0, 0}, Four{a.z, b.z, 0, 0}};
}
inline VectorsOf<Two> both(const Vec3<double>& q, const Vec3<double>& v) {
  return {Two{q.x, v.x}, Two{q.y, v.y}, Two{q.z, v.z}};
}

template <class L>
VectorsOf<L> operator+(const VectorsOf<L>& a, const VectorsOf<L>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class L>
VectorsOf<L> operator-(const VectorsOf<L>& a, const VectorsOf<L>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class L>
VectorsOf<L> operator-(const VectorsOf<L>& a) {
  return {-a.x, -a.y, -a.z};
}
// r x a, a x r
template <class L>
VectorsOf<L> cross(const Vec3<double>& r, const VectorsOf<L>& a) {
  return {r.y * a.z - r.z * a.y, r.z * a.x - r.x * a.z, r.x * a.y - r.y * a.x};
}
template <class L>
VectorsOf<L> cross(const VectorsOf<L>& a, const Vec3<double>& r) {
  return {a.y * r.z - a.z * r.y, a.z * r.x - a.x * r.z, a.x * r.y - a.y * r.x};
}
template <class L>
L dot(const Vec3<double>& a, const VectorsOf<L>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class L>
VectorsOf<L> operator*(const Mat3<double>& m, const VectorsOf<L>& a) {
  return {m.c[0].x * a.x + m.c[1].x * a.y + m.c[2].x * a.z,
          m.c[0].y * a.x + m.c[1].y * a.y + m.c[2].y * a.z,
          m.c[0].z * a.x + m.c[1].z * a.y + m.c[2].z * a.z};
}
template <class L>
VectorsOf<L> operator*(const Sym3<double>& m, const VectorsOf<L>& a) {
  return {m.xx * a.x + m.xy * a.y + m.xz * a.z, m.xy * a.x + m.yy * a.y + m.yz * a.z,
          m.xz * a.x + m.yz * a.y + m.zz * a.z};
}
template <class L>
requires(!std::is_same_v<L, double> && !std::is_class_v<L>) VectorsOf<L>
operator*(const Vec3<double>& a, const L& x) {
  return {a.x * x, a.y * x, a.z * x};
}
template <class L>
VectorsOf<L> transpose_times(const Mat3<double>& m, const VectorsOf<L>& a) {
  return {dot(m.c[0], a), dot(m.c[1], a), dot(m.c[2], a)};
}

}  // namespace cartan::mechanics::lanes
