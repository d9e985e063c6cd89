// What articulated bodies answer to a change (link_slopes.h), from the tips to the root.
#include "mechanics/tree/link_slopes.h"

#include <algorithm>
#include <cmath>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/tree/articulated_body.h"

namespace cartan::mechanics {

void LinkSlopes::hold_speeds(const MotionWorkspace<double>& ws) {
  std::fill(held_.begin(), held_.end(), 0);
  if (!ws.any_locked && !mechanism_.has_drives) return;
  for (const SlopeLink& at : plan_.links) {
    const Link<double>& link = mechanism_.links[at.link];
    for (int k = 0; k < at.nv; ++k)
      held_[at.p0 + k] = link.driven || (ws.any_locked && ws.locked[link.v0 + k]);
  }
}

void LinkSlopes::fill(const MotionWorkspace<double>& ws, Held held) {
  fill_motion(ws);
  if (held == Held::all) std::fill(held_.begin(), held_.end(), 1);
  if (held == Held::as_it_is)
    fill_answers<true>(ws);
  else
    fill_answers<false>(ws);
}

// solved: ws holds articulated inertias as they are before their joint is eliminated, but for B and
// D of balls. Else every joint is held.
template <bool solved>
void LinkSlopes::fill_answers(const MotionWorkspace<double>& ws) {
  const int links = static_cast<int>(plan_.links.size());
  const bool closed = solved && !mechanism_.rows.empty();
  if (closed) {
    row_turns_.resize(ws.fronts.g.size());
    passed_turns_.resize(ws.fronts.Qn.size());
  }
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const Link<double>& link = mechanism_.links[at.link];
    const LinkState<double>& x = ws.links[at.link];
    SlopeBody& b = bodies_[d];
    const bool free = at.nv > 0 && held_[at.p0] == 0;
    b.answer = JointAnswer::general;
    if (free && link.motion == Motion::rotation1) b.answer = JointAnswer::hinge;
    if (free && link.motion == Motion::rotation3 && !link.geared) b.answer = JointAnswer::ball;
    if (at.nv == 6 && !is_any_held(at)) b.answer = JointAnswer::loose;
    b.A = solved ? x.A : b.J;
    b.D = solved ? x.D : Sym3<double>::diagonal(b.m, b.m, b.m);
    b.B = solved ? x.B : hat(b.h);
  }
  for (int d = links - 1; d >= 0; --d) {
    const int link = plan_.links[d].link;
    const LinkState<double>& x = ws.links[link];
    if (closed && ws.plan.front_at[link] >= 0)
      begin_front(ws, ws.plan.fronts[ws.plan.front_at[link]], bodies_[d]);
    switch (bodies_[d].answer) {
      case JointAnswer::hinge:
        answer_hinge(x, d);
        break;
      case JointAnswer::ball:
        answer_ball(x, d);
        break;
      case JointAnswer::loose:
        answer_loose(d);
        break;
      case JointAnswer::general:
        answer_general(d, solved);
    }
    if (closed && ws.plan.front_through[link] >= 0) pass_rows(ws, d);
  }
}

// t of rows that begin, merge or are solved; those solved stiffen the link.
void LinkSlopes::begin_front(const MotionWorkspace<double>& ws, const Front& front, SlopeBody& b) {
  Vec3<double>* const t = row_turns_.data() + front.g0;
  std::fill_n(t, front.size(), Vec3<double>{});
  for (const ChildFront& child : front.children) {
    const Front& from = ws.plan.fronts[child.front];
    for (int r = from.solved; r < from.size(); ++r)
      t[child.to[r - from.solved]] += row_turns_[from.g0 + r];
  }
  for (int r = 0; r < front.solved; ++r) {
    const double* const row = ws.fronts.G.data() + front.G0 + r * front.width();
    const Vec3<double>&n = ws.fronts.Kn[front.g0 + r], &f = ws.fronts.Kf[front.g0 + r];
    const Vec3<double> y = row[r] * t[r];
    for (int c = r + 1; c < front.size(); ++c) t[c] -= row[c] * y;
    b.Cn += outer(n, y);
    b.Cf += outer(f, y);
  }
}

void LinkSlopes::pass_rows(const MotionWorkspace<double>& ws, int d) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = bodies_[d];
  const Front& front = ws.plan.fronts[ws.plan.front_through[at.link]];
  for (int r = front.solved; r < front.size(); ++r) {
    const std::size_t passed = ws.plan.Q0[at.link] + r;
    const Vec3<double>& Q = ws.fronts.Qn[passed];
    Vec3<double>& t = row_turns_[front.g0 + r];
    if (b.answer == JointAnswer::hinge) {
      t -= Q.x * hinges_[d].y;
    } else if (b.answer == JointAnswer::ball) {
      t -= transpose_times(b.Cn, Q);
    } else if (b.answer == JointAnswer::loose) {
      t -= transpose_times(b.Cn, Q) + transpose_times(b.Cf, ws.fronts.Qf[passed]);
    } else {
      const SlopeJoint& j = joints_[d];
      for (int l = 0; l < at.nv && l < 3; ++l)
        if (!held_[at.p0 + l]) t += Q[l] * Vec3<double>{j.Qw[l][0], j.Qw[l][1], j.Qw[l][2]};
    }
    passed_turns_[passed] = t;
  }
}

void LinkSlopes::answer_hinge(const LinkState<double>& x, int d) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = bodies_[d];
  SlopeHinge& j = hinges_[d];
  j.phi = x.s;
  j.r = b.r;
  j.Un = x.Un;
  j.Uf = x.Uf;
  j.Di = x.inverse_d;
  j.Vn = j.Di * j.Un;
  j.Vf = j.Di * j.Uf;
  const Vec3<double> turned = transpose_times(b.Cn, j.phi);
  j.y = j.Di * turned;
  if (at.parent >= 0) pass_turning(d, b.Cn - outer(j.Vn, turned), b.Cf - outer(j.Vf, turned));
}

// The whole moment is taken by the joint: n' = d tau. A^-1 B and what the parent feels are those of
// the accelerations to the last digit: with other roundings they would not fit the inertias that
// follow from them, and long chains would lose digits.
void LinkSlopes::answer_ball(const LinkState<double>& x, int d) {
  const SlopeBody& b = bodies_[d];
  SlopeBall& j = balls_[ball_[d]];
  j.R = x.R;
  j.A_inverse = inverse(b.A);
  j.E = x.B;
  j.G = times(j.A_inverse, b.Cn);
  j.D_left = x.D;
  if (plan_.links[d].parent >= 0)
    pass_turning(d, Mat3<double>{}, b.Cf - transposed_product(j.E, b.Cn));
}

// Nothing passes but the force of the joint.
void LinkSlopes::answer_loose(int d) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = bodies_[d];
  SlopeLoose& j = loose_[loose_at_[d]];
  j.A_inverse = inverse(b.A);
  j.E = j.A_inverse * b.B;
  j.S_inverse = inverse(b.D - symmetric_transpose_times(b.B, j.E));
  for (int k = 0; k < 3; ++k) {
    const SpatialPair answer = answer_of(j, {b.Cn.c[k], b.Cf.c[k]});
    j.Gn.c[k] = answer.n;
    j.Gf.c[k] = answer.f;
    j.phi[k] = columns_[at.p0 + k].phi;
    j.arm[k] = columns_[at.p0 + k].psi;
    j.psi[k] = columns_[at.p0 + 3 + k].psi;
  }
}

void LinkSlopes::answer_general(int d, bool solved) {
  const SlopeLink& at = plan_.links[d];
  SlopeBody& b = bodies_[d];
  SlopeJoint& j = joints_[d];
  const int nv = at.nv;
  int free[6], count = 0;
  double whole[6][6];  // I S
  for (int l = 0; l < nv; ++l) {
    const SlopeColumn& c = columns_[at.p0 + l];
    const SpatialPair u = inertia(d, {c.phi, c.psi});
    to_six(c.phi, c.psi, j.S[l]);
    to_six(u.n, u.f, whole[l]);
    const bool held = held_[at.p0 + l] != 0;
    if (!held) free[count++] = l;
    for (int k = 0; k < 6; ++k) {
      j.T[l][k] = held ? 0 : j.S[l][k];
      j.U[l][k] = held ? 0 : whole[l][k];
    }
  }
  double M[6][6];
  for (int i = 0; i < count; ++i)
    for (int k = 0; k <= i; ++k) {
      double sum = 0;
      for (int c = 0; c < 6; ++c) sum += j.S[free[i]][c] * whole[free[k]][c];
      if (i == k) sum += mechanism_.rotor[plan_.speed[at.p0 + free[i]]];
      M[i][k] = M[k][i] = sum;
    }
  invert_small(M, count);
  for (int l = 0; l < nv; ++l)
    for (int k = 0; k < nv; ++k) j.Di[l][k] = held_[at.p0 + l] && l == k ? -1 : 0;
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < count; ++k) j.Di[free[i]][free[k]] = M[i][k];
  for (int l = 0; l < nv; ++l) {
    for (int c = 0; c < 6; ++c) {
      double sum = 0;
      for (int k = 0; k < nv; ++k) sum -= j.Di[l][k] * whole[k][c];
      j.Q[l][c] = sum;
    }
    SpatialPair row;
    for (int k = 0; k < nv; ++k) {
      row.n -= j.Di[l][k] * columns_[at.p0 + k].phi;
      row.f -= j.Di[l][k] * columns_[at.p0 + k].psi;
    }
    const Vec3<double> turned = transpose_times(b.Cn, row.n) + transpose_times(b.Cf, row.f);
    for (int c = 0; c < 3; ++c) j.Qw[l][c] = turned[c];
  }
  if (at.parent < 0) return;
  Mat3<double> Cn = b.Cn, Cf = b.Cf;
  for (int l = 0; l < nv; ++l) {
    const SpatialPair u = from_six(j.U[l]);
    const Vec3<double> q{j.Qw[l][0], j.Qw[l][1], j.Qw[l][2]};
    Cn += outer(u.n, q);
    Cf += outer(u.f, q);
  }
  pass_turning(d, Cn, Cf);
  if (!solved) articulated::add_to_parent<double>(b.r, b.A, b.B, b.D, {}, {}, bodies_[at.parent]);
}

}  // namespace cartan::mechanics
