// All columns of motion_slopes.h through the tree, several side by side; then the multipliers.
#include <algorithm>
#include <cmath>

#include "mechanics/tree/lanes_of_numbers.h"
#include "mechanics/tree/motion_slopes.h"

namespace cartan::mechanics {

using lanes::Lanes;
using lanes::load;
using lanes::put;

namespace {

// Rows less dependent than this squared sine on those before them have a multiplier of their own
// (as in closed_recursion.cpp).
constexpr double least_row_sine2 = 1e-13;

struct LaneVector {
  Lanes x, y, z;
};

inline LaneVector load_vector(const double* at, int ld) {
  return {load(at), load(at + ld), load(at + 2 * ld)};
}
inline void put_vector(double* at, int ld, const LaneVector& a) {
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
inline LaneVector transpose_times(const Mat3<double>& m, const LaneVector& a) {
  return {dot(m.c[0], a), dot(m.c[1], a), dot(m.c[2], a)};
}

// P: six rows, W: those of the joint's speeds (d tau on entry, the answer to P on return).
template <int K>
void eliminate_columns(const SlopeBody& b, const SlopeJoint& j, std::span<const ColumnRun> runs,
                       int ld, double* P, double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += lanes::width) {
      Lanes p[6], t[K > 0 ? K : 1], x[K > 0 ? K : 1];
      for (int k = 0; k < 6; ++k) p[k] = load(P + k * ld + c);
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
      const LaneVector f{p[3], p[4], p[5]}, arm = cross(b.r, f);
      put(P + c, p[0] + arm.x);
      put(P + ld + c, p[1] + arm.y);
      put(P + 2 * ld + c, p[2] + arm.z);
      put_vector(P + 3 * ld + c, ld, f);
    }
}

// W becomes the part of a' that P makes, in world axes.
template <bool laws>
void eliminate_ball_columns(const SlopeBody& b, std::span<const ColumnRun> runs, int ld, double* P,
                            double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += lanes::width) {
      LaneVector n = load_vector(P + c, ld), f = load_vector(P + 3 * ld + c, ld), tau{};
      if constexpr (laws) {
        tau = b.R * load_vector(W + c, ld);
        n = n - tau;
      }
      put_vector(W + c, ld, LaneVector{} - b.A_inverse * n);
      f = f - transpose_times(b.E, n);
      put_vector(P + c, ld, tau + cross(b.r, f));
      put_vector(P + 3 * ld + c, ld, f);
    }
}

// `from`, `to`: a', b' of parent and link; may be the same. o: of columns that turn the parent.
template <int K>
void accelerate_columns(const SlopeBody& b, const SlopeJoint& j, std::span<const ColumnRun> runs,
                        int ld, const double* from, const double* o, double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += lanes::width) {
      LaneVector a = load_vector(from + c, ld), f = load_vector(from + 3 * ld + c, ld), turn{};
      f = f + cross(a, b.r);
      if (run.turned) {
        turn = load_vector(o + c, ld);
        a = a + cross(turn, b.s);
        f = f + b.K * turn;
      }
      const Lanes z[6] = {a.x, a.y, a.z, f.x, f.y, f.z};
      Lanes sum[6] = {a.x, a.y, a.z, f.x, f.y, f.z};
      for (int l = 0; l < K; ++l) {
        Lanes x = load(W + l * ld + c);
        for (int k = 0; k < 6; ++k) x += j.Q[l][k] * z[k];
        if (run.turned) x += j.Qw[l][0] * turn.x + j.Qw[l][1] * turn.y + j.Qw[l][2] * turn.z;
        put(W + l * ld + c, x);
        for (int k = 0; k < 6; ++k) sum[k] += j.T[l][k] * x;
      }
      for (int k = 0; k < 6; ++k) put(to + k * ld + c, sum[k]);
    }
}

void accelerate_ball_columns(const SlopeBody& b, std::span<const ColumnRun> runs, int ld,
                             const double* from, const double* o, double* W, double* to) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += lanes::width) {
      LaneVector a = load_vector(from + c, ld), f = load_vector(from + 3 * ld + c, ld);
      f = f + cross(a, b.r);
      LaneVector own = load_vector(W + c, ld);
      if (run.turned) {
        const LaneVector turn = load_vector(o + c, ld);
        a = a + cross(turn, b.s);
        f = f + b.K * turn;
        own = own - b.G * turn;
      }
      own = own - b.E * f;
      put_vector(W + c, ld, transpose_times(b.R, own - a));
      put_vector(to + c, ld, own);
      put_vector(to + 3 * ld + c, ld, f);
    }
}

// Six rows of W times m or its transpose.
template <bool transposed>
void multiply_rows(const double (&m)[6][6], std::span<const ColumnRun> runs, int ld, double* W) {
  for (const ColumnRun& run : runs)
    for (int c = run.first; c < run.last; c += lanes::width) {
      Lanes x[6], sum[6] = {};
      for (int k = 0; k < 6; ++k) x[k] = load(W + k * ld + c);
      for (int l = 0; l < 6; ++l)
        for (int k = 0; k < 6; ++k) sum[l] += (transposed ? m[k][l] : m[l][k]) * x[k];
      for (int l = 0; l < 6; ++l) put(W + l * ld + c, sum[l]);
    }
}

}  // namespace

// ------------------------------------------------------------------------------------------ inward

// The columns of the joint's own speeds: what their turning makes of the articulated body, and the
// change of the joint's force by its columns.
void MotionSlopes::start_own_columns(int d) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = links_.body(d);
  double* P = inward(d);
  for (int p = at.p0; p < at.p0 + at.nv; ++p) {
    const SlopeColumn& c = links_.column(p);
    const Vec3<double> n_q = b.Cn * c.o, f_q = b.Cf * c.o, n_v = b.Cn * c.phi, f_v = b.Cf * c.phi;
    for (int k = 0; k < 3; ++k) {
      P[k * ld_ + p] += n_q[k];
      P[(3 + k) * ld_ + p] += f_q[k];
      P[k * ld_ + nv_ + p] += n_v[k];
      P[(3 + k) * ld_ + nv_ + p] += f_v[k];
    }
  }
}

// Their acceleration, answered by the joint, and the wrench that turns with the subtree.
void MotionSlopes::finish_own_columns(int d) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = links_.body(d);
  double* P = inward(d);
  double* W = row(at.p0);
  const auto pass = [&](int column, const SpatialPair& z, SpatialPair F) {
    if (b.ball) {
      const Vec3<double> part = b.E * z.f;
      F.f += b.D_left * z.f;
      for (int k = 0; k < 3; ++k) W[k * ld_ + column] -= part[k];
    } else {
      const SlopeJoint& j = links_.joint(d);
      const SpatialPair I = links_.inertia(d, z);
      F.n += I.n;
      F.f += I.f;
      for (int l = 0; l < at.nv; ++l) {
        double x = 0;
        for (int k = 0; k < 3; ++k) x += j.Q[l][k] * z.n[k] + j.Q[l][3 + k] * z.f[k];
        W[l * ld_ + column] += x;
        for (int k = 0; k < 3; ++k) F.n[k] += x * j.U[l][k], F.f[k] += x * j.U[l][3 + k];
      }
    }
    F.n += mechanics::cross(b.r, F.f);
    for (int k = 0; k < 3; ++k) {
      P[k * ld_ + column] += F.n[k];
      P[(3 + k) * ld_ + column] += F.f[k];
    }
  };
  for (int p = at.p0; p < at.p0 + at.nv; ++p) {
    const SlopeColumn& c = links_.column(p);
    pass(p, c.by_q,
         {mechanics::cross(c.phi, b.n) + mechanics::cross(c.psi, b.f),
          mechanics::cross(c.phi, b.f)});
    pass(nv_ + p, c.by_v, {});
  }
}

void MotionSlopes::go_inward() {
  for (const LinkSlopes::OwnForce& own : links_.own_forces()) row(own.i)[own.k] -= own.value;
  for (int d = static_cast<int>(plan_.links.size()) - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = links_.body(d);
    const std::span<const ColumnRun> runs = flow_.up[d];
    double* P = inward(d);
    double* W = at.nv > 0 ? row(at.p0) : nullptr;
    const auto for_each_group = [&](auto&& act) {
      for (const ColumnRun& run : runs)
        for (int k = 0; k < 6; ++k)
          for (int c = run.first; c < run.last; c += lanes::width) act(k * ld_ + c);
    };
    if (flow_.staged[d] >= 0) {
      const double* from = staged(at.link);
      for_each_group([&](int i) { put(P + i, load(P + i) + load(from + i)); });
    }
    start_own_columns(d);
    if (b.ball) {
      any_law_ ? eliminate_ball_columns<true>(b, runs, ld_, P, W)
               : eliminate_ball_columns<false>(b, runs, ld_, P, W);
    } else {
      const SlopeJoint& j = links_.joint(d);
      if (at.nv == 6 && j.loose) multiply_rows<true>(j.back, runs, ld_, W);
      switch (at.nv) {
        case 0:
          eliminate_columns<0>(b, j, runs, ld_, P, W);
          break;
        case 1:
          eliminate_columns<1>(b, j, runs, ld_, P, W);
          break;
        case 2:
          eliminate_columns<2>(b, j, runs, ld_, P, W);
          break;
        case 3:
          eliminate_columns<3>(b, j, runs, ld_, P, W);
          break;
        default:
          eliminate_columns<6>(b, j, runs, ld_, P, W);
      }
    }
    finish_own_columns(d);
    if (at.parent < 0) {
      if (flow_.several_roots) for_each_group([&](int i) { put(P + i, Lanes{}); });
    } else if (double* const to = inward(at.parent); to != P) {
      for_each_group([&](int i) {
        put(to + i, load(to + i) + load(P + i));
        put(P + i, Lanes{});
      });
    }
  }
}

// ----------------------------------------------------------------------------------------- outward

void MotionSlopes::go_outward() {
  std::fill(o_.begin(), o_.end(), 0.0);
  const auto set_turning = [&](int d, bool on) {
    const SlopeLink& at = plan_.links[d];
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const SlopeColumn& c = links_.column(p);
      for (int k = 0; k < 3; ++k) {
        o_[k * ld_ + p] = on ? c.o[k] : 0;
        o_[k * ld_ + nv_ + p] = on ? c.phi[k] : 0;
      }
    }
  };
  for (int d = 0; d < static_cast<int>(plan_.links.size()); ++d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = links_.body(d);
    for (int left = d - 1; left >= 0 && left != at.parent; left = plan_.links[left].parent)
      set_turning(left, false);
    const std::span<const ColumnRun> runs = flow_.down[d];
    const double* from = at.parent < 0 ? nothing_.data() : outward(at.parent);
    double* to = outward(d);
    double* W = at.nv > 0 ? row(at.p0) : nullptr;
    if (b.ball) {
      accelerate_ball_columns(b, runs, ld_, from, o_.data(), W, to);
    } else {
      const SlopeJoint& j = links_.joint(d);
      switch (at.nv) {
        case 0:
          accelerate_columns<0>(b, j, runs, ld_, from, o_.data(), W, to);
          break;
        case 1:
          accelerate_columns<1>(b, j, runs, ld_, from, o_.data(), W, to);
          break;
        case 2:
          accelerate_columns<2>(b, j, runs, ld_, from, o_.data(), W, to);
          break;
        case 3:
          accelerate_columns<3>(b, j, runs, ld_, from, o_.data(), W, to);
          break;
        default:
          accelerate_columns<6>(b, j, runs, ld_, from, o_.data(), W, to);
      }
    }
    for (int p = at.p0; p < at.p0 + at.nv; ++p)
      for (const bool of_v : {false, true}) {
        const SlopeColumn& c = links_.column(p);
        const SpatialPair& z = of_v ? c.by_v : c.by_q;
        const int column = of_v ? nv_ + p : p;
        for (int k = 0; k < 3; ++k) {
          to[(3 + k) * ld_ + column] += z.f[k];
          if (b.ball)
            W[k * ld_ + column] -= mechanics::dot(b.R.c[k], z.n);
          else
            to[k * ld_ + column] += z.n[k];
        }
      }
    if (at.nv == 6 && links_.joint(d).loose)
      multiply_rows<false>(links_.joint(d).back, runs, ld_, W);
    set_turning(d, true);
    if (!active_.empty()) note_rows(d, to);
  }
}

// y' of rows at this link.
void MotionSlopes::note_rows(int d, const double* z) {
  const MotionWorkspace<double>& ws = *ws_;
  for (const int s : sources_[d]) {
    const int place = place_of_row_[mechanism_.sources[s].row];
    if (place < 0) continue;
    double* to = row_slopes_.data() + static_cast<std::size_t>(place) * ld_;
    const Vec3<double>&n = ws.source_n[s], &f = ws.source_f[s];
    for (const ColumnRun& run : flow_.down[d])
      for (int c = run.first; c < run.last; c += lanes::width)
        put(to + c, load(to + c) + dot(n, load_vector(z + c, ld_)) +
                        dot(f, load_vector(z + 3 * ld_ + c, ld_)));
  }
}

void MotionSlopes::solve_columns() {
  go_inward();
  go_outward();
  if (active_.empty()) return;
  for (const RowTerm<double>& term : mechanism_.terms) {
    const int r = place_of_row_[term.row],
              p = plan_.place[mechanism_.links[term.link].v0 + term.component];
    if (r < 0 || links_.is_held(p)) continue;
    double* to = row_slopes_.data() + static_cast<std::size_t>(r) * ld_;
    const double* from = row(p);
    for (int c = 0; c < ld_; c += lanes::width)
      put(to + c, load(to + c) + term.factor * load(from + c));
  }
}

// ------------------------------------------------------------------------------------- multipliers

// d lambda = -G^-1 R, G = J M^-1 J^T = R in the columns of the rows; d v' += M^-1 J^T d lambda.
void MotionSlopes::solve_multipliers(int rows) {
  const int columns = plan_.columns(), groups = lanes::round_up(columns);
  const std::size_t ld = ld_;
  const auto slope = [&](int r) { return row_slopes_.data() + r * ld; };
  for (int r = 0; r < rows; ++r) {
    for (int s = 0; s <= r; ++s) G_[r * rows + s] = slope(r)[columns + active_[s]];
    for (int c = 0; c < groups; c += lanes::width) put(slope(r) + c, -load(slope(r) + c));
  }
  // G = L L^T, L^-1 and L^-T applied to the right sides at once
  for (int r = 0; r < rows; ++r) {
    const double diagonal = G_[r * rows + r];
    double* right = slope(r);
    for (int s = 0; s < r; ++s) {
      double sum = G_[r * rows + s];
      for (int k = 0; k < s; ++k) sum -= G_[r * rows + k] * G_[s * rows + k];
      sum *= G_[s * rows + s];
      G_[r * rows + s] = sum;
      for (int c = 0; c < groups; c += lanes::width)
        put(right + c, load(right + c) - sum * load(slope(s) + c));
    }
    double pivot = diagonal;
    for (int k = 0; k < r; ++k) pivot -= G_[r * rows + k] * G_[r * rows + k];
    const double inverse = pivot > least_row_sine2 * diagonal ? 1 / std::sqrt(pivot) : 0;
    G_[r * rows + r] = inverse;
    for (int c = 0; c < groups; c += lanes::width) put(right + c, load(right + c) * inverse);
  }
  for (int r = rows - 1; r >= 0; --r) {
    double* right = slope(r);
    for (int s = r + 1; s < rows; ++s)
      for (int c = 0; c < groups; c += lanes::width)
        put(right + c, load(right + c) - G_[s * rows + r] * load(slope(s) + c));
    for (int c = 0; c < groups; c += lanes::width)
      put(right + c, load(right + c) * G_[r * rows + r]);
  }
  for (int p = 0; p < nv_; ++p) {
    double* to = row(p);
    for (int c = 0; c < groups; c += lanes::width) {
      Lanes sum{};
      for (int r = 0; r < rows; ++r) sum += to[columns + active_[r]] * load(slope(r) + c);
      if (c + lanes::width <= columns)
        put(to + c, load(to + c) + sum);
      else
        for (int k = 0; c + k < columns; ++k) to[c + k] += sum[k];
    }
  }
}

// Rows of speeds that are held have their forces: powers of drives. Their v' does not change.
void MotionSlopes::take_held_rows(const MotionWorkspace<double>& ws) {
  const int columns = plan_.columns();
  for (const DrivenSpeed& drive : plan_.drives) {
    const double speed = ws.v[plan_.speed[drive.place]];
    const double* slope = row(drive.place);
    for (const int s : drive.scalars) {
      double* to = scalars_.data() + static_cast<std::size_t>(s) * ld_;
      for (int c = 0; c < columns; ++c) to[c] += speed * slope[c];
      to[plan_.by_v() + drive.place] += ws.lambda[drive.row];
    }
  }
  for (int p = 0; p < nv_; ++p)
    if (links_.is_held(p)) std::fill_n(row(p), ld_, 0.0);
}

}  // namespace cartan::mechanics
