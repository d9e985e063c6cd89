// What one joint does to columns of motion_slopes.h, several side by side: its elimination on the
// way in, its answer on the way out.
#pragma once

#include <span>

#include "mechanics/tree/lanes_of_numbers.h"
#include "mechanics/tree/link_slopes.h"
#include "mechanics/tree/slope_flow.h"

namespace cartan::mechanics::lanes {

struct LaneVector {
  Lanes x, y, z;
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
inline LaneVector operator+(const LaneVector& a, const LaneVector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline LaneVector operator-(const LaneVector& a, const LaneVector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
// r x a, a x r
inline LaneVector cross(const Vec3<double>& r, const LaneVector& a) {
  return {r.y * a.z - r.z * a.y, r.z * a.x - r.x * a.z, r.x * a.y - r.y * a.x};
}
inline LaneVector cross(const LaneVector& a, const Vec3<double>& r) {
  return {a.y * r.z - a.z * r.y, a.z * r.x - a.x * r.z, a.x * r.y - a.y * r.x};
}
inline Lanes dot(const Vec3<double>& a, const LaneVector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline LaneVector operator*(const Mat3<double>& m, const LaneVector& a) {
  return {m.c[0].x * a.x + m.c[1].x * a.y + m.c[2].x * a.z,
          m.c[0].y * a.x + m.c[1].y * a.y + m.c[2].y * a.z,
          m.c[0].z * a.x + m.c[1].z * a.y + m.c[2].z * a.z};
}
inline LaneVector operator*(const Sym3<double>& m, const LaneVector& a) {
  return {m.xx * a.x + m.xy * a.y + m.xz * a.z, m.xy * a.x + m.yy * a.y + m.yz * a.z,
          m.xz * a.x + m.yz * a.y + m.zz * a.z};
}
inline LaneVector operator*(const Vec3<double>& a, const Lanes& x) {
  return {a.x * x, a.y * x, a.z * x};
}
inline LaneVector transpose_times(const Mat3<double>& m, const LaneVector& a) {
  return {dot(m.c[0], a), dot(m.c[1], a), dot(m.c[2], a)};
}

// Numbers added to one column. Whole groups are read and written: a number written by itself would
// have to reach memory before the group with it can be read.
inline Lanes unit_lane(int lane) {
  static constexpr double units[2 * width - 1] = {0, 0, 0, 0, 0, 0, 0, 1};
  return load(units + width - 1 - lane);
}
inline void add_to_column(double* row, int column, double value) {
  double* const at = row + (column & ~(width - 1));
  put(at, load(at) + value * unit_lane(column & (width - 1)));
}
inline void add_to_columns(double* rows, int ld, int column, const Vec3<double>& value) {
  for (int k = 0; k < 3; ++k) add_to_column(rows + k * ld, column, value[k]);
}
// Rows of a group one behind the other: R of them, three from k0 on.
template <int R>
void add_to_group(double* groups, int k0, int column, const Vec3<double>& value) {
  const Lanes unit = unit_lane(column & (width - 1));
  double* const at = groups + R * (column & ~(width - 1)) + k0 * width;
  for (int k = 0; k < 3; ++k) put(at + k * width, load(at + k * width) + value[k] * unit);
}

// P: groups of six rows, W: rows of the joint's speeds (d tau on entry, the answer to P on return).
template <int K>
void eliminate_columns(const SlopeBody& b, const SlopeJoint& j, std::span<const ColumnRun> runs,
                       int ld, double* P, double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      double* const at = P + 6 * c;
      Lanes p[6], t[K > 0 ? K : 1], x[K > 0 ? K : 1];
      for (int k = 0; k < 6; ++k) p[k] = load(at + k * width);
      for (int l = 0; l < K; ++l) {
        t[l] = load(W + l * ld + c);
        for (int k = 0; k < 6; ++k) t[l] -= j.S[l][k] * p[k];
      }
      for (int l = 0; l < K; ++l) {
        x[l] = j.Di[l][0] * t[0];
        for (int m = 1; m < K; ++m) x[l] += j.Di[l][m] * t[m];
        put(W + l * ld + c, x[l]);
        for (int k = 0; k < 6; ++k) p[k] += j.U[l][k] * x[l];
      }
      const LaneVector n{p[0], p[1], p[2]}, f{p[3], p[4], p[5]};
      put_vector(at, n + cross(b.r, f));
      put_vector(at + 3 * width, f);
    }
}

// The same for one turning speed; W is zero on entry where no law acts.
template <bool laws>
void eliminate_hinge_columns(const SlopeBody& b, const SlopeHinge& j,
                             std::span<const ColumnRun> runs, double* P, double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      double* const at = P + 6 * c;
      LaneVector n = load_vector(at), f = load_vector(at + 3 * width);
      Lanes t = dot(j.phi, n);
      if constexpr (laws) t -= load(W + c);
      const Lanes x = -j.Di * t;
      put(W + c, x);
      n = n + j.Un * x;
      f = f + j.Uf * x;
      put_vector(at, n + cross(b.r, f));
      put_vector(at + 3 * width, f);
    }
}

// W becomes the part of a that P makes, in world axes.
template <bool laws>
void eliminate_ball_columns(const SlopeBody& b, const SlopeBall& j, std::span<const ColumnRun> runs,
                            int ld, double* P, double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      double* const at = P + 6 * c;
      LaneVector n = load_vector(at), f = load_vector(at + 3 * width), tau{};
      if constexpr (laws) {
        tau = j.R * load_vector(W + c, ld);
        n = n - tau;
      }
      put_vector(W + c, LaneVector{} - j.A_inverse * n, ld);
      f = f - transpose_times(j.E, n);
      put_vector(at, tau + cross(b.r, f));
      put_vector(at + 3 * width, f);
    }
}

// `from`, `to`: (a, b) of parent and link; may be the same. o: of columns that turn the parent.
template <int K>
inline void accelerate_columns(const SlopeBody& b, const SlopeJoint& j,
                               std::span<const ColumnRun> runs, int ld, const double* from,
                               const double* o, double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      const LaneVector a = load_vector(from + 6 * c);
      const LaneVector f = load_vector(from + 6 * c + 3 * width) + cross(a, b.r);
      const Lanes z[6] = {a.x, a.y, a.z, f.x, f.y, f.z};
      Lanes sum[6] = {a.x, a.y, a.z, f.x, f.y, f.z};
      for (int l = 0; l < K; ++l) {
        Lanes x = load(W + l * ld + c);
        for (int k = 0; k < 6; ++k) x += j.Q[l][k] * z[k];
        if (run.turned)
          for (int k = 0; k < 3; ++k) x += j.Qw[l][k] * load(o + 3 * c + k * width);
        put(W + l * ld + c, x);
        for (int k = 0; k < 6; ++k) sum[k] += j.T[l][k] * x;
      }
      for (int k = 0; k < 6; ++k) put(to + 6 * c + k * width, sum[k]);
    }
}

inline void accelerate_hinge_columns(const SlopeBody& b, const SlopeHinge& j,
                                     std::span<const ColumnRun> runs, const double* from,
                                     const double* o, double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      const LaneVector a = load_vector(from + 6 * c);
      const LaneVector f = load_vector(from + 6 * c + 3 * width) + cross(a, b.r);
      Lanes x = load(W + c) - dot(j.Vn, a) - dot(j.Vf, f);
      if (run.turned) x -= dot(j.y, load_vector(o + 3 * c));
      put(W + c, x);
      put_vector(to + 6 * c, a + j.phi * x);
      put_vector(to + 6 * c + 3 * width, f);
    }
}

inline void accelerate_ball_columns(const SlopeBody& b, const SlopeBall& j,
                                    std::span<const ColumnRun> runs, int ld, const double* from,
                                    const double* o, double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      const LaneVector a = load_vector(from + 6 * c);
      const LaneVector f = load_vector(from + 6 * c + 3 * width) + cross(a, b.r);
      LaneVector own = load_vector(W + c, ld) - j.E * f;
      if (run.turned) own = own - j.G * load_vector(o + 3 * c);
      put_vector(W + c, transpose_times(j.R, own - a), ld);
      put_vector(to + 6 * c, own);
      put_vector(to + 6 * c + 3 * width, f);
    }
}

// Six rows of W times m or its transpose.
template <bool transposed>
void multiply_rows(const double (&m)[6][6], std::span<const ColumnRun> runs, int ld, double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      Lanes x[6], sum[6] = {};
      for (int k = 0; k < 6; ++k) x[k] = load(W + k * ld + c);
      for (int l = 0; l < 6; ++l)
        for (int k = 0; k < 6; ++k) sum[l] += (transposed ? m[k][l] : m[l][k]) * x[k];
      for (int l = 0; l < 6; ++l) put(W + l * ld + c, sum[l]);
    }
}

}  // namespace cartan::mechanics::lanes
