// All columns of motion_slopes.h through the tree, several side by side.
#include <algorithm>
#include <cmath>

#include "mechanics/tree/motion_slopes.h"
#include "mechanics/tree/slopes/slope_columns.h"

namespace cartan::mechanics {

using namespace lanes;

// ------------------------------------------------------------------------------------------ inward

// The columns of the joint's own speeds, two at a time: what their turning makes of the articulated
// body and their acceleration, answered by the joint, and the wrench that turns with the subtree.
template <JointAnswer answer>
void MotionSlopes::add_own_columns(int d) {
  using Vectors = VectorsOf<Two>;
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = links_.body(d);
  double* P = inward(d);
  double* W = at.nv > 0 ? row(at.p0) : nullptr;
  for (int p = at.p0; p < at.p0 + at.nv; ++p) {
    const SlopeColumn& c = links_.column(p);
    const int column = SlopePlan::by_q(p);
    const Vectors o = both(c.o, c.phi), n_z = both(c.by_q.n, c.by_v.n),
                  f_z = both(c.by_q.f, c.by_v.f);
    Vectors n = b.Cn * o, f = b.Cf * o;
    if constexpr (answer == JointAnswer::ball) {
      const SlopeBall& j = links_.ball(d);
      add_to_rows(W, ld_, column, -(j.A_inverse * n + j.E * f_z));
      f = f + j.D_left * f_z - transpose_times(j.E, n);
      n = {};
    } else if constexpr (answer == JointAnswer::loose) {
      const SlopeLoose& j = links_.loose(d);
      add_to_rows(W, ld_, column, -(j.Gn * o));
      add_to_rows(W + 3 * ld_, ld_, column, -(j.Gf * o));
      n = f = {};
    } else {
      const SlopeJoint& j = links_.joint(d);
      Two t[6], x[6];
      for (int l = 0; l < at.nv; ++l) {
        const SpatialPair S = from_six(j.S[l]), Q = from_six(j.Q[l]);
        t[l] = dot(S.n, n) + dot(S.f, f);
        x[l] = dot(Q.n, n_z) + dot(Q.f, f_z);
      }
      for (int l = 0; l < at.nv; ++l) {
        for (int k = 0; k < at.nv; ++k) x[l] -= j.Di[l][k] * t[k];
        add_to_row(W + l * ld_, column, x[l]);
        const SpatialPair U = from_six(j.U[l]);
        n = n + U.n * x[l];
        f = f + U.f * x[l];
      }
      if (at.parent >= 0) {
        n = n + b.A * n_z + b.B * f_z;
        f = f + transpose_times(b.B, n_z) + b.D * f_z;
      }
    }
    if (at.parent < 0) continue;
    Vec3<double> jump_n = mechanics::cross(c.phi, b.n), jump_f = mechanics::cross(c.phi, b.f);
    if constexpr (answer == JointAnswer::general || answer == JointAnswer::loose)
      jump_n += mechanics::cross(c.psi, b.f);
    f = f + both(jump_f, {});
    n = n + both(jump_n, {}) + cross(b.r, f);
    add_to_group<6>(P, 0, column, n);
    add_to_group<6>(P, 3, column, f);
  }
}

void MotionSlopes::go_inward() {
  for (const LinkSlopes::OwnForce& own : links_.own_forces())
    row(own.i)[SlopePlan::by_q(own.k)] -= own.value;
  for (int d = static_cast<int>(plan_.links.size()) - 1; d >= 0; --d) {
    if (is_chain(d)) {
      any_law_ ? chain_inward<true>(flow_.chain_first[d], d)
               : chain_inward<false>(flow_.chain_first[d], d);
      d = flow_.chain_first[d];
      continue;
    }
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
    if (closed_ && ws_->plan.front_at[at.link] >= 0)
      begin_front(ws_->plan.fronts[ws_->plan.front_at[at.link]], runs, P);
    const bool rows = closed_ && ws_->plan.front_through[at.link] >= 0;
    if (b.answer == JointAnswer::ball) {
      const SlopeBall& j = links_.ball(d);
      any_law_ ? eliminate_ball_columns<true>(b, j, runs, ld_, P, W)
               : eliminate_ball_columns<false>(b, j, runs, ld_, P, W);
      if (rows) pass_rows(d);
      add_own_columns<JointAnswer::ball>(d);
    } else if (b.answer == JointAnswer::hinge) {
      const SlopeHinge& j = links_.hinge(d);
      any_law_ ? eliminate_hinge_columns<true>(b, j, runs, P, W)
               : eliminate_hinge_columns<false>(b, j, runs, P, W);
      if (rows) pass_rows(d);
      const OwnHinge own = calc_own_hinge(d);
      const int column = SlopePlan::by_q(at.p0);
      add_to_row(W, column, own.x);
      add_to_group<6>(P, 0, column, own.n);
      add_to_group<6>(P, 3, column, own.f);
    } else if (b.answer == JointAnswer::loose) {
      const SlopeLoose& j = links_.loose(d);
      any_law_ ? eliminate_loose_columns<true>(b, j, runs, ld_, P, W)
               : eliminate_loose_columns<false>(b, j, runs, ld_, P, W);
      if (rows) pass_rows(d);
      add_own_columns<JointAnswer::loose>(d);
    } else {
      const SlopeJoint& j = links_.joint(d);
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
      if (rows) pass_rows(d);
      add_own_columns<JointAnswer::general>(d);
    }
    if (rows) add_own_rows(d);
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
  for (int d = 0; d < static_cast<int>(plan_.links.size()); ++d) {
    if (is_chain(d)) {
      chain_outward(d, flow_.chain_last[d]);
      d = flow_.chain_last[d];
      continue;
    }
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = links_.body(d);
    const std::span<const ColumnRun> runs = flow_.down[d];
    const double* from = at.parent < 0 ? nothing_.data() : outward(at.parent);
    double* to = outward(d);
    double* W = at.nv > 0 ? row(at.p0) : nullptr;
    if (closed_ && ws_->plan.front_through[at.link] >= 0) {
      answered_[d] = largest_answer(d);
      push_rows(d);
    }
    if (b.answer == JointAnswer::ball) {
      accelerate_ball_columns(b, links_.ball(d), runs, ld_, from, W, to);
    } else if (b.answer == JointAnswer::hinge) {
      accelerate_hinge_columns(links_.hinge(d), runs, from, W, to);
    } else if (b.answer == JointAnswer::loose) {
      accelerate_loose_columns(b, links_.loose(d), runs, ld_, from, W, to);
    } else {
      const SlopeJoint& j = links_.joint(d);
      switch (at.nv) {
        case 0:
          accelerate_columns<0>(b, j, runs, ld_, from, W, to);
          break;
        case 1:
          accelerate_columns<1>(b, j, runs, ld_, from, W, to);
          break;
        case 2:
          accelerate_columns<2>(b, j, runs, ld_, from, W, to);
          break;
        case 3:
          accelerate_columns<3>(b, j, runs, ld_, from, W, to);
          break;
        default:
          accelerate_columns<6>(b, j, runs, ld_, from, W, to);
      }
    }
    move_own_columns(d, W, to);
    if (b.answer == JointAnswer::loose) find_loose_speeds(links_.loose(d), runs, ld_, W);
    if (closed_ && ws_->plan.front_at[at.link] >= 0)
      end_front(ws_->plan.fronts[ws_->plan.front_at[at.link]], runs, to);
  }
}

// The joint's own columns move the link, and turn it for all that it carries. What they accelerate
// the speeds of balls and free bodies need not: those move as their balance wants.
void MotionSlopes::move_own_columns(int d, double* W, double* to) {
  const SlopeLink& at = plan_.links[d];
  const JointAnswer answer = links_.body(d).answer;
  for (int p = at.p0; p < at.p0 + at.nv; ++p) {
    const SlopeColumn& c = links_.column(p);
    const int column = SlopePlan::by_q(p);
    const VectorsOf<Two> n = both(c.by_q.n, c.by_v.n), f = both(c.by_q.f, c.by_v.f);
    add_to_group<moving_rows>(to, 6, column, both(c.o, c.phi));
    if (answer == JointAnswer::loose) {
      add_to_rows(W, ld_, column, -n);
      add_to_rows(W + 3 * ld_, ld_, column, -f);
      continue;
    }
    add_to_group<moving_rows>(to, 3, column, f);
    if (answer == JointAnswer::ball)
      add_to_rows(W, ld_, column, -transpose_times(links_.ball(d).R, n));
    else
      add_to_group<moving_rows>(to, 0, column, n);
  }
}

void MotionSlopes::solve_columns() {
  go_inward();
  if (closed_ && ws_->plan.world_front >= 0) {
    const ColumnRun all[] = {{0, ld_, false}};
    const Front& front = ws_->plan.fronts[ws_->plan.world_front];
    begin_front(front, all, nullptr);
    end_front(front, all, nullptr);
  }
  go_outward();
}

// Rows of speeds that are held have their forces: powers of drives. Their v' does not change.
void MotionSlopes::take_held_rows(const MotionWorkspace<double>& ws) {
  const int columns = plan_.columns();
  for (const DrivenSpeed& drive : plan_.drives) {
    const double speed = ws.v[plan_.speed[drive.place]];
    const double* slope = row(drive.place);
    for (const int s : drive.scalars) {
      double* to = row(nv_ + s);
      for (int c = 0; c < columns; ++c) to[c] += speed * slope[c];
      to[SlopePlan::by_v(drive.place)] += ws.lambda[drive.row];
    }
  }
  for (int p = 0; p < nv_; ++p)
    if (links_.is_held(p)) std::fill_n(row(p), ld_, 0.0);
}

}  // namespace cartan::mechanics
