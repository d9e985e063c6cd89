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
  if (held == Held::as_it_is && mechanism_.rows.empty())
    fill_answers<true>(ws);
  else
    fill_answers<false>(ws);
}

// solved: ws holds articulated inertias as they are before their joint is eliminated, but for B of
// balls.
template <bool solved>
void LinkSlopes::fill_answers(const MotionWorkspace<double>& ws) {
  const int links = static_cast<int>(plan_.links.size());
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const Link<double>& link = mechanism_.links[at.link];
    const LinkState<double>& x = ws.links[at.link];
    SlopeBody& b = bodies_[d];
    const bool free = at.nv > 0 && held_[at.p0] == 0;
    b.answer = JointAnswer::general;
    if (free && link.motion == Motion::rotation1) b.answer = JointAnswer::hinge;
    if (free && link.motion == Motion::rotation3 && !link.geared) b.answer = JointAnswer::ball;
    b.A = solved ? x.A : b.J;
    b.D = solved ? x.D : Sym3<double>::diagonal(b.m, b.m, b.m);
    b.B = solved && b.answer != JointAnswer::ball ? x.B : hat(b.h);
  }
  for (int d = links - 1; d >= 0; --d) {
    const LinkState<double>& x = ws.links[plan_.links[d].link];
    switch (bodies_[d].answer) {
      case JointAnswer::hinge:
        answer_hinge<solved>(x, d);
        break;
      case JointAnswer::ball:
        answer_ball<solved>(x, d);
        break;
      case JointAnswer::general:
        answer_general(d, solved);
    }
  }
}

double LinkSlopes::mobility(int d) const {
  double sum = 0;
  switch (bodies_[d].answer) {
    case JointAnswer::hinge:
      return hinges_[d].Di;
    case JointAnswer::ball: {
      const Sym3<double>& A = balls_[ball_[d]].A_inverse;
      return A.xx + A.yy + A.zz;
    }
    case JointAnswer::general:
      for (int l = 0; l < plan_.links[d].nv; ++l)
        if (!held_[plan_.links[d].p0 + l]) sum += joints_[joint_[d]].Di[l][l];
  }
  return sum > 0 ? sum : 1;
}

double LinkSlopes::rounded_size(int d) const {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = bodies_[d];
  if (b.answer != JointAnswer::ball) return 0;
  double most = 0;
  for (int p = at.p0; p < at.p0 + at.nv; ++p) {
    const SlopeColumn& c = columns_[p];
    for (const auto& [z, o] : {std::pair(&c.by_q, &c.o), std::pair(&c.by_v, &c.phi)}) {
      const SpatialPair I = inertia(d, *z), C{b.Cn * *o, b.Cf * *o};
      most = std::max({most, norm(I.n), norm(I.f), norm(C.n), norm(C.f)});
    }
  }
  return mobility(d) * most;
}

// The inertia of the parent takes what its child's joint does not answer.
void LinkSlopes::pass_inertia(int d, bool solved, const Sym3<double>& A, const Mat3<double>& B,
                              const Sym3<double>& D) {
  SlopeBody& p = bodies_[plan_.links[d].parent];
  const Vec3<double>& r = bodies_[d].r;
  if (!solved)
    articulated::add_to_parent<double>(r, A, B, D, {}, {}, p);
  else if (p.answer == JointAnswer::ball)
    p.B += B + cross(r, full(D));
}

template <bool solved>
void LinkSlopes::answer_hinge(const LinkState<double>& x, int d) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = bodies_[d];
  SlopeHinge& j = hinges_[d];
  j.phi = x.s;
  if (solved) {
    j.Un = x.Un;
    j.Uf = x.Uf;
    j.Di = x.inverse_d;
  } else {
    j.Un = b.A * j.phi;
    j.Uf = transpose_times(b.B, j.phi);
    j.Di = 1 / (dot(j.phi, j.Un) + mechanism_.rotor[plan_.speed[at.p0]]);
  }
  j.Vn = j.Di * j.Un;
  j.Vf = j.Di * j.Uf;
  const Vec3<double> turned = transpose_times(b.Cn, j.phi);
  j.y = j.Di * turned;
  if (at.parent < 0) return;
  pass_turning(d, b.Cn - outer(j.Vn, turned), b.Cf - outer(j.Vf, turned));
  pass_inertia(d, solved, b.A - symmetric(outer(j.Vn, j.Un)), b.B - outer(j.Vn, j.Uf),
               b.D - symmetric(outer(j.Vf, j.Uf)));
}

// The whole moment is taken by the joint: n' = d tau.
template <bool solved>
void LinkSlopes::answer_ball(const LinkState<double>& x, int d) {
  const SlopeBody& b = bodies_[d];
  SlopeBall& j = balls_[ball_[d]];
  j.R = x.R;
  j.A_inverse = inverse(b.A);
  j.E = solved ? x.B : j.A_inverse * b.B;
  j.G = times(j.A_inverse, b.Cn);
  const auto entry = [&](int i, int k) { return dot(b.B.c[i], j.E.c[k]); };
  j.D_left = b.D - Sym3<double>{entry(0, 0), entry(1, 1), entry(2, 2),
                                entry(0, 1), entry(0, 2), entry(1, 2)};
  const int parent = plan_.links[d].parent;
  if (parent < 0) return;
  pass_turning(d, Mat3<double>{}, b.Cf - transposed_product(j.E, b.Cn));
  SlopeBody& p = bodies_[parent];
  const Mat3<double> L = cross(b.r, full(j.D_left));
  if (!solved) {
    p.A += articulated::cross_rows(b.r, L);
    p.D += j.D_left;
  }
  if (!solved || p.answer == JointAnswer::ball) p.B += L;
}

// Nothing passes but the wrench itself.
void LinkSlopes::answer_loose(int d) {
  const SlopeLink& at = plan_.links[d];
  const SlopeBody& b = bodies_[d];
  SlopeJoint& j = joints_[joint_[d]];
  j.loose = true;
  const Sym3<double> A_inverse = inverse(b.A);
  const Mat3<double> E = A_inverse * b.B;
  const auto product = [&](int k, int l) { return dot(b.B.c[k], E.c[l]); };
  const Sym3<double> D = inverse(b.D - Sym3<double>{product(0, 0), product(1, 1), product(2, 2),
                                                    product(0, 1), product(0, 2), product(1, 2)});
  for (int l = 0; l < 6; ++l) {
    const Vec3<double> e = unit_vector<double>(l % 3);
    // I^-1 e
    SpatialPair x;
    x.f = l < 3 ? -(D * transpose_times(E, e)) : D * e;
    x.n = (l < 3 ? A_inverse * e : Vec3<double>{}) - E * x.f;
    to_six(x.n, x.f, j.Di[l]);
    const SpatialPair u = inertia(d, l < 3 ? SpatialPair{e, {}} : SpatialPair{{}, e});
    to_six(u.n, u.f, j.U[l]);
    const Vec3<double> turned = transpose_times(b.Cn, x.n) + transpose_times(b.Cf, x.f);
    for (int k = 0; k < 3; ++k) j.Qw[l][k] = -turned[k];
    for (int k = 0; k < 6; ++k) {
      j.S[l][k] = j.T[l][k] = k == l ? 1 : 0;
      j.Q[l][k] = k == l ? -1 : 0;
    }
    // x_l = phi_l . a for turning columns; what is left of b along the sliding ones
    const SlopeColumn& c = columns_[at.p0 + l];
    if (l < 3) {
      to_six(c.phi, {}, j.back[l]);
      continue;
    }
    Vec3<double> taken;
    for (int k = 0; k < 3; ++k)
      taken -= dot(c.psi, columns_[at.p0 + k].psi) * columns_[at.p0 + k].phi;
    to_six(taken, c.psi, j.back[l]);
  }
}

void LinkSlopes::answer_general(int d, bool solved) {
  const SlopeLink& at = plan_.links[d];
  SlopeBody& b = bodies_[d];
  SlopeJoint& j = joints_[joint_[d]];
  const int nv = at.nv;
  j.loose = false;
  if (nv == 6 && !std::any_of(held_.begin() + at.p0, held_.begin() + at.p0 + 6,
                              [](unsigned char held) { return held != 0; }))
    return answer_loose(d);
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
  Sym3<double> A = b.A, D = b.D;
  Mat3<double> B = b.B;
  for (int l = 0; l < nv; ++l) {
    if (held_[at.p0 + l]) continue;
    const SpatialPair u = from_six(j.U[l]), q = from_six(j.Q[l]);
    A += symmetric(outer(q.n, u.n));  // only the sum over l is symmetric; its upper half is kept
    D += symmetric(outer(q.f, u.f));
    B += outer(q.n, u.f);
  }
  pass_inertia(d, solved, A, B, D);
}

}  // namespace cartan::mechanics
