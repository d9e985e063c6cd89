// What one joint does to columns of motion_slopes.h, several side by side: its elimination on the
// way in, its answer on the way out.
#pragma once

#include <span>

#include "mechanics/tree/lanes_of_numbers.h"
#include "mechanics/tree/link_slopes.h"
#include "mechanics/tree/slope_flow.h"

namespace cartan::mechanics::lanes {

// Two columns of a group, from an even one on. Whole groups are read and written: numbers written
// by themselves would have to reach memory before the group with them can be read.
inline Lanes in_group(int column, const Two& value) {
  static constexpr double units[2 * width - 1] = {0, 0, 0, 0, 0, 0, 0, 1};
  const double* const at = units + width - 1 - column % width;
  return value[0] * load(at) + value[1] * load(at - 1);
}
inline LaneVector in_group(int column, const VectorsOf<Two>& value) {
  return {in_group(column, value.x), in_group(column, value.y), in_group(column, value.z)};
}
inline void add_to_row(double* row, int column, const Two& value) {
  double* const at = row + (column & ~(width - 1));
  put(at, load(at) + in_group(column, value));
}
inline void add_to_rows(double* rows, int ld, int column, const VectorsOf<Two>& value) {
  add_to_row(rows, column, value.x);
  add_to_row(rows + ld, column, value.y);
  add_to_row(rows + 2 * ld, column, value.z);
}
// Rows of a group one behind the other: R of them, three from k0 on.
template <int R>
void add_to_group(double* groups, int k0, int column, const VectorsOf<Two>& value) {
  double* const at = groups + R * (column & ~(width - 1)) + k0 * width;
  put_vector(at, load_vector(at) + in_group(column, value));
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

// W: (a, b) that P and d tau make of the body; P becomes what the parent feels.
template <bool laws>
void eliminate_loose_columns(const SlopeBody& b, const SlopeLoose& j,
                             std::span<const ColumnRun> runs, int ld, double* P, double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      double* const at = P + 6 * c;
      LaneVector n{}, f{};
      if constexpr (laws) {
        const LaneVector slide = load_vector(W + 3 * ld + c, ld);
        f = j.psi[0] * slide.x + j.psi[1] * slide.y + j.psi[2] * slide.z;
        for (int k = 0; k < 3; ++k) n = n + j.phi[k] * (load(W + k * ld + c) - dot(j.arm[k], f));
      }
      const LaneVector left = n - load_vector(at);
      const LaneVector slide =
          j.S_inverse * (f - load_vector(at + 3 * width) - transpose_times(j.E, left));
      put_vector(W + c, j.A_inverse * left - j.E * slide, ld);
      put_vector(W + 3 * ld + c, slide, ld);
      put_vector(at, n + cross(b.r, f));
      put_vector(at + 3 * width, f);
    }
}

// The motion of one group of columns on the way out: (a, b), and o of columns that turn the link.
struct MovingGroup {
  LaneVector a, b, o;
};
inline constexpr int moving_rows = 9;
inline MovingGroup load_moving(const double* groups, int column) {
  const double* const at = groups + moving_rows * column;
  return {load_vector(at), load_vector(at + 3 * width), load_vector(at + 6 * width)};
}
inline void put_moving(double* groups, int column, const MovingGroup& x) {
  double* const at = groups + moving_rows * column;
  put_vector(at, x.a);
  put_vector(at + 3 * width, x.b);
  put_vector(at + 6 * width, x.o);
}

// `from`, `to`: groups of parent and link; may be the same. Own columns come afterwards.
template <int K>
void accelerate_columns(const SlopeBody& b, const SlopeJoint& j, std::span<const ColumnRun> runs,
                        int ld, const double* from, double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      MovingGroup x = load_moving(from, c);
      x.b = x.b + cross(x.a, b.r);
      const Lanes z[6] = {x.a.x, x.a.y, x.a.z, x.b.x, x.b.y, x.b.z};
      const Lanes o[3] = {x.o.x, x.o.y, x.o.z};
      Lanes sum[6] = {x.a.x, x.a.y, x.a.z, x.b.x, x.b.y, x.b.z};
      for (int l = 0; l < K; ++l) {
        Lanes answer = run.answered ? load(W + l * ld + c) : Lanes{};
        for (int k = 0; k < 6; ++k) answer += j.Q[l][k] * z[k];
        if (run.turned)
          for (int k = 0; k < 3; ++k) answer += j.Qw[l][k] * o[k];
        put(W + l * ld + c, answer);
        for (int k = 0; k < 6; ++k) sum[k] += j.T[l][k] * answer;
      }
      put_moving(to, c, {{sum[0], sum[1], sum[2]}, {sum[3], sum[4], sum[5]}, x.o});
    }
}

// One turning speed; `answer`: what it has without the motion of its parent.
template <bool turned>
inline Lanes accelerate_hinge(const SlopeHinge& j, Lanes answer, MovingGroup& x) {
  x.b = x.b + cross(x.a, j.r);
  answer -= dot(j.Vn, x.a) + dot(j.Vf, x.b);
  if constexpr (turned) answer -= dot(j.y, x.o);
  x.a = x.a + j.phi * answer;
  return answer;
}
inline void accelerate_hinge_columns(const SlopeHinge& j, std::span<const ColumnRun> runs,
                                     const double* from, double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      MovingGroup x = load_moving(from, c);
      put(W + c, accelerate_hinge<true>(j, run.answered ? load(W + c) : Lanes{}, x));
      put_moving(to, c, x);
    }
}

inline void accelerate_ball_columns(const SlopeBody& b, const SlopeBall& j,
                                    std::span<const ColumnRun> runs, int ld, const double* from,
                                    double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      MovingGroup x = load_moving(from, c);
      x.b = x.b + cross(x.a, b.r);
      LaneVector own = -(j.E * x.b);
      if (run.answered) own = own + load_vector(W + c, ld);
      if (run.turned) own = own - j.G * x.o;
      put_vector(W + c, transpose_times(j.R, own - x.a), ld);
      x.a = own;
      put_moving(to, c, x);
    }
}

// W becomes the motion against the parent.
inline void accelerate_loose_columns(const SlopeBody& b, const SlopeLoose& j,
                                     std::span<const ColumnRun> runs, int ld, const double* from,
                                     double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      const MovingGroup p = load_moving(from, c);
      MovingGroup x{{}, {}, p.o};
      if (run.answered) {
        x.a = load_vector(W + c, ld);
        x.b = load_vector(W + 3 * ld + c, ld);
      }
      if (run.turned) {
        x.a = x.a - j.Gn * p.o;
        x.b = x.b - j.Gf * p.o;
      }
      put_moving(to, c, x);
      put_vector(W + c, x.a - p.a, ld);
      put_vector(W + 3 * ld + c, x.b - p.b - cross(p.a, b.r), ld);
    }
}
// W: from motions of the body against its parent to speeds.
inline void find_loose_speeds(const SlopeLoose& j, std::span<const ColumnRun> runs, int ld,
                              double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += width) {
      const LaneVector a = load_vector(W + c, ld);
      LaneVector left = load_vector(W + 3 * ld + c, ld);
      for (int k = 0; k < 3; ++k) {
        const Lanes x = dot(j.phi[k], a);
        put(W + k * ld + c, x);
        left = left - j.arm[k] * x;
      }
      for (int k = 0; k < 3; ++k) put(W + (3 + k) * ld + c, dot(j.psi[k], left));
    }
}

}  // namespace cartan::mechanics::lanes
