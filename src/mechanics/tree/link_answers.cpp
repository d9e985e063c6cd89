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

SpatialPair LinkSlopes::inertia(int d, const SpatialPair& z) const {
  const SlopeBody& b = bodies_[d];
  return {b.A * z.n + b.B * z.f, transpose_times(b.B, z.n) + b.D * z.f};
}

void LinkSlopes::fill(const MotionWorkspace<double>& ws, Held held) {
  fill_motion(ws);
  if (held == Held::all) std::fill(held_.begin(), held_.end(), 1);
  for (int d = static_cast<int>(plan_.links.size()) - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const Link<double>& link = mechanism_.links[at.link];
    SlopeBody& b = bodies_[d];
    b.ball = link.motion == Motion::rotation3 && held_[at.p0] == 0 && !link.geared;
    if (b.ball) {
      b.R = ws.links[at.link].R;
      answer_ball(d);
    } else {
      answer_general(d);
    }
  }
}

// The whole moment is taken by the joint: n' = d tau.
void LinkSlopes::answer_ball(int d) {
  SlopeBody& b = bodies_[d];
  b.A_inverse = inverse(b.A);
  b.E = b.A_inverse * b.B;
  b.G = times(b.A_inverse, b.Cn);
  const auto entry = [&](int i, int j) { return dot(b.B.c[i], b.E.c[j]); };
  b.D_left = b.D - Sym3<double>{entry(0, 0), entry(1, 1), entry(2, 2),
                                entry(0, 1), entry(0, 2), entry(1, 2)};
  const int parent = plan_.links[d].parent;
  if (parent < 0) return;
  SlopeBody& p = bodies_[parent];
  const Mat3<double> L = cross(b.r, full(b.D_left));
  p.A += articulated::cross_rows(b.r, L);
  p.B += L;
  p.D += b.D_left;
  const Mat3<double> C = b.Cf - transposed_product(b.E, b.Cn) + times(b.D_left, b.K);
  p.Cf += C;
  p.Cn += cross(b.r, C);
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

void LinkSlopes::answer_general(int d) {
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
  SlopeBody& p = bodies_[at.parent];
  Sym3<double> A = b.A, D = b.D;
  Mat3<double> B = b.B;
  for (int l = 0; l < nv; ++l) {
    if (held_[at.p0 + l]) continue;
    const SpatialPair u = from_six(j.U[l]), q = from_six(j.Q[l]);
    A += symmetric(outer(q.n, u.n));  // only the sum over l is symmetric; its upper half is kept
    D += symmetric(outer(q.f, u.f));
    B += outer(q.n, u.f);
  }
  articulated::add_to_parent<double>(b.r, A, B, D, {}, {}, p);
  // C o and the joint's own o x s, K o
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> e = unit_vector<double>(k);
    const SpatialPair own{cross(e, b.s), b.K.c[k]}, I = inertia(d, own);
    Vec3<double> n = b.Cn.c[k] + I.n, f = b.Cf.c[k] + I.f;
    for (int l = 0; l < nv; ++l) {
      const SpatialPair u = from_six(j.U[l]), q = from_six(j.Q[l]);
      const double x = j.Qw[l][k] + dot(q.n, own.n) + dot(q.f, own.f);
      n += x * u.n;
      f += x * u.f;
    }
    p.Cf.c[k] += f;
    p.Cn.c[k] += n + cross(b.r, f);
  }
}

}  // namespace cartan::mechanics
