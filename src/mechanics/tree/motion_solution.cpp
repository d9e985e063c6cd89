// All columns of motion_slopes.h through the tree, several side by side; then the multipliers.
#include <algorithm>
#include <cmath>

#include "mechanics/tree/motion_slopes.h"
#include "mechanics/tree/slopes/slope_columns.h"

namespace cartan::mechanics {

using namespace lanes;

namespace {

// Rows less dependent than this squared sine on those before them have a multiplier of their own
// (as in closed_recursion.cpp).
constexpr double least_row_sine2 = 1e-13;

}  // namespace

// ------------------------------------------------------------------------------------------ inward

// The columns of the joint's own speeds: what their turning makes of the articulated body and their
// acceleration, answered by the joint, and the wrench that turns with the subtree.
template <JointAnswer answer>
void MotionSlopes::add_own_columns(int d) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = links_.body(d);
  double* P = inward(d);
  double* W = at.nv > 0 ? row(at.p0) : nullptr;
  const auto pass = [&](int column, const Vec3<double>& o, const SpatialPair& z,
                        const SpatialPair& jump) __attribute__((always_inline)) {
    SpatialPair F{b.Cn * o, b.Cf * o};
    if constexpr (answer == JointAnswer::ball) {
      const SlopeBall& j = links_.ball(d);
      add_to_columns(W, ld_, column, -(j.A_inverse * F.n + j.E * z.f));
      F.f += j.D_left * z.f - mechanics::transpose_times(j.E, F.n);
      F.n = {};
    } else {
      const SpatialPair I = links_.inertia(d, z);
      if constexpr (answer == JointAnswer::hinge) {
        const SlopeHinge& j = links_.hinge(d);
        const double x = -(j.Di * mechanics::dot(j.phi, F.n) + mechanics::dot(j.Vn, z.n) +
                           mechanics::dot(j.Vf, z.f));
        add_to_column(W, column, x);
        F.n += x * j.Un;
        F.f += x * j.Uf;
      } else {
        const SlopeJoint& j = links_.joint(d);
        double t[6], x[6];
        for (int l = 0; l < at.nv; ++l) {
          const SpatialPair S = from_six(j.S[l]), Q = from_six(j.Q[l]);
          t[l] = mechanics::dot(S.n, F.n) + mechanics::dot(S.f, F.f);
          x[l] = mechanics::dot(Q.n, z.n) + mechanics::dot(Q.f, z.f);
        }
        for (int l = 0; l < at.nv; ++l) {
          for (int k = 0; k < at.nv; ++k) x[l] -= j.Di[l][k] * t[k];
          add_to_column(W + l * ld_, column, x[l]);
          const SpatialPair U = from_six(j.U[l]);
          F.n += x[l] * U.n;
          F.f += x[l] * U.f;
        }
      }
      F.n += I.n;
      F.f += I.f;
    }
    F.n += jump.n;
    F.f += jump.f;
    F.n += mechanics::cross(b.r, F.f);
    add_to_group<6>(P, 0, column, F.n);
    add_to_group<6>(P, 3, column, F.f);
  };
  for (int p = at.p0; p < at.p0 + at.nv; ++p) {
    const SlopeColumn& c = links_.column(p);
    SpatialPair jump{mechanics::cross(c.phi, b.n), mechanics::cross(c.phi, b.f)};
    if constexpr (answer == JointAnswer::general) jump.n += mechanics::cross(c.psi, b.f);
    pass(p, c.o, c.by_q, jump);
    pass(nv_ + p, c.phi, c.by_v, {});
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
        for (int i = 6 * run.first; i < 6 * run.last; i += width) act(i);
    };
    if (flow_.staged[d] >= 0) {
      const double* from = staged(at.link);
      for_each_group([&](int i) { put(P + i, load(P + i) + load(from + i)); });
    }
    if (b.answer == JointAnswer::ball) {
      const SlopeBall& j = links_.ball(d);
      any_law_ ? eliminate_ball_columns<true>(b, j, runs, ld_, P, W)
               : eliminate_ball_columns<false>(b, j, runs, ld_, P, W);
      add_own_columns<JointAnswer::ball>(d);
    } else if (b.answer == JointAnswer::hinge) {
      const SlopeHinge& j = links_.hinge(d);
      any_law_ ? eliminate_hinge_columns<true>(b, j, runs, P, W)
               : eliminate_hinge_columns<false>(b, j, runs, P, W);
      add_own_columns<JointAnswer::hinge>(d);
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
      add_own_columns<JointAnswer::general>(d);
    }
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
  const auto set_turning = [&](int d, double sign) {
    const SlopeLink& at = plan_.links[d];
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const SlopeColumn& c = links_.column(p);
      add_to_group<3>(o_.data(), 0, p, sign * c.o);
      add_to_group<3>(o_.data(), 0, nv_ + p, sign * c.phi);
    }
  };
  for (int d = 0; d < static_cast<int>(plan_.links.size()); ++d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = links_.body(d);
    for (int left = d - 1; left >= 0 && left != at.parent; left = plan_.links[left].parent)
      set_turning(left, -1);
    const std::span<const ColumnRun> runs = flow_.down[d];
    const double* from = at.parent < 0 ? nothing_.data() : outward(at.parent);
    double* to = outward(d);
    double* W = at.nv > 0 ? row(at.p0) : nullptr;
    if (b.answer == JointAnswer::ball) {
      accelerate_ball_columns(b, links_.ball(d), runs, ld_, from, o_.data(), W, to);
    } else if (b.answer == JointAnswer::hinge) {
      accelerate_hinge_columns(b, links_.hinge(d), runs, from, o_.data(), W, to);
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
        add_to_group<6>(to, 3, column, z.f);
        if (b.answer == JointAnswer::ball)
          add_to_columns(W, ld_, column, -mechanics::transpose_times(links_.ball(d).R, z.n));
        else
          add_to_group<6>(to, 0, column, z.n);
      }
    if (at.nv == 6 && links_.joint(d).loose)
      multiply_rows<false>(links_.joint(d).back, runs, ld_, W);
    set_turning(d, 1);
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
      for (int c = run.first; c < run.last; c += width)
        put(to + c, load(to + c) + dot(n, load_vector(z + 6 * c)) +
                        dot(f, load_vector(z + 6 * c + 3 * width)));
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
    for (int c = 0; c < ld_; c += width) put(to + c, load(to + c) + term.factor * load(from + c));
  }
}

// ------------------------------------------------------------------------------------- multipliers

// d lambda = -G^-1 R, G = J M^-1 J^T = R in the columns of the rows; d v' += M^-1 J^T d lambda.
void MotionSlopes::solve_multipliers(int rows) {
  const int columns = plan_.columns(), groups = round_up(columns);
  const std::size_t ld = ld_;
  const auto slope = [&](int r) { return row_slopes_.data() + r * ld; };
  for (int r = 0; r < rows; ++r) {
    for (int s = 0; s <= r; ++s) G_[r * rows + s] = slope(r)[columns + active_[s]];
    for (int c = 0; c < groups; c += width) put(slope(r) + c, -load(slope(r) + c));
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
      for (int c = 0; c < groups; c += width)
        put(right + c, load(right + c) - sum * load(slope(s) + c));
    }
    double pivot = diagonal;
    for (int k = 0; k < r; ++k) pivot -= G_[r * rows + k] * G_[r * rows + k];
    const double inverse = pivot > least_row_sine2 * diagonal ? 1 / std::sqrt(pivot) : 0;
    G_[r * rows + r] = inverse;
    for (int c = 0; c < groups; c += width) put(right + c, load(right + c) * inverse);
  }
  for (int r = rows - 1; r >= 0; --r) {
    double* right = slope(r);
    for (int s = r + 1; s < rows; ++s)
      for (int c = 0; c < groups; c += width)
        put(right + c, load(right + c) - G_[s * rows + r] * load(slope(s) + c));
    for (int c = 0; c < groups; c += width) put(right + c, load(right + c) * G_[r * rows + r]);
  }
  taken_back_ = 1;
  for (int p = 0; p < nv_; ++p) {
    double* to = row(p);
    Lanes before{}, after{};
    for (int c = 0; c < groups; c += width) {
      Lanes sum{};
      for (int r = 0; r < rows; ++r) sum += to[columns + active_[r]] * load(slope(r) + c);
      const Lanes from = load(to + c), result = from + sum;
      if (c + width <= columns) {
        before = larger(before, from);
        after = larger(after, result);
        put(to + c, result);
      } else {
        for (int k = 0; c + k < columns; ++k) to[c + k] = result[k];
      }
    }
    const double left = largest_of(after);
    if (left > 0) taken_back_ = std::max(taken_back_, largest_of(before) / left);
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
