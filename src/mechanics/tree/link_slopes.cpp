#include "mechanics/tree/link_slopes.h"

#include <algorithm>
#include <cmath>

#include "mechanics/joints/joint_motion.h"
#include "mechanics/tree/articulated_body.h"

namespace cartan::mechanics {
namespace {

Mat3<double> times(const Sym3<double>& a, const Mat3<double>& b) {
  return Mat3<double>::columns(a * b.c[0], a * b.c[1], a * b.c[2]);
}
Mat3<double> transposed_product(const Mat3<double>& a, const Mat3<double>& b) {
  return Mat3<double>::columns(transpose_times(a, b.c[0]), transpose_times(a, b.c[1]),
                               transpose_times(a, b.c[2]));
}
Mat3<double> negative(const Mat3<double>& a) {
  return Mat3<double>::columns(-a.c[0], -a.c[1], -a.c[2]);
}

void to_six(const Vec3<double>& n, const Vec3<double>& f, double* six) {
  for (int k = 0; k < 3; ++k) six[k] = n[k], six[3 + k] = f[k];
}
SpatialPair from_six(const double* six) {
  return {{six[0], six[1], six[2]}, {six[3], six[4], six[5]}};
}

void multiply_back(const SlopeJoint& j, double* x) {
  double sum[6] = {};
  for (int l = 0; l < 6; ++l)
    for (int k = 0; k < 6; ++k) sum[l] += j.back[l][k] * x[k];
  std::copy_n(sum, 6, x);
}
void multiply_back_transposed(const SlopeJoint& j, double* x) {
  double sum[6] = {};
  for (int l = 0; l < 6; ++l)
    for (int k = 0; k < 6; ++k) sum[k] += j.back[l][k] * x[l];
  std::copy_n(sum, 6, x);
}

// The inverse of a symmetric positive definite matrix, in place: Gauss-Jordan without pivoting.
void invert_small(double (&M)[6][6], int size) {
  for (int k = 0; k < size; ++k) {
    const double inverse = 1 / M[k][k];
    M[k][k] = 1;
    for (int j = 0; j < size; ++j) M[k][j] *= inverse;
    for (int i = 0; i < size; ++i) {
      if (i == k) continue;
      const double share = M[i][k];
      M[i][k] = 0;
      for (int j = 0; j < size; ++j) M[i][j] -= share * M[k][j];
    }
  }
}

}  // namespace

LinkSlopes::LinkSlopes(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                       const SlopePlan& plan)
    : mechanism_(mechanism),
      dual_mechanism_(dual),
      plan_(plan),
      bodies_(plan.links.size()),
      columns_(plan.nv),
      held_(plan.nv, 0),
      moving_(plan.links.size()),
      answers_(plan.nv) {
  std::size_t own = 0;
  int joints = 0;
  for (const SlopeLink& x : plan.links) {
    if (x.varying) own += static_cast<std::size_t>(x.nv) * x.nv;
    joint_.push_back(joints++);
  }
  joints_.resize(joints);
  own_.reserve(own);
}

// ----------------------------------------------------------------------------------------- motion

void LinkSlopes::move_link(const MotionWorkspace<double>& ws, int d) {
  const SlopeLink& at = plan_.links[d];
  const Link<double>& link = mechanism_.links[at.link];
  const LinkState<double>& x = ws.links[at.link];
  SlopeBody& b = bodies_[d];
  b.r = x.r;
  b.w = x.w;
  b.w_parent = link.parent == world ? Vec3<double>{} : ws.links[link.parent].w;
  b.m = link.mass;
  b.h = x.R * link.mc;
  b.J = link.principal ? articulated::rotate_principal(x.R, link.J) : rotate(x.R, link.J);
  b.A = b.J;
  b.B = hat(b.h);
  b.D = Sym3<double>::diagonal(b.m, b.m, b.m);
  const Vec3<double> Jw = b.J * b.w, wh = cross(b.w, b.h);
  b.Cn = cross(b.w, full(b.J)) - hat(Jw);
  b.Cf = negative(hat(wh) + cross(b.w, hat(b.h)));
  b.n = b.J * x.dw + cross(b.h, x.du) + cross(b.w, Jw);
  b.f = b.m * x.du + cross(x.dw, b.h) + cross(b.w, wh);
  if (mechanism_.has_forces) {
    b.n -= ws.wrench_n[at.link];
    b.f -= ws.wrench_f[at.link];
  }
}

void LinkSlopes::set_columns(const MotionWorkspace<double>& ws, int d) {
  const SlopeLink& at = plan_.links[d];
  const Link<double>& link = mechanism_.links[at.link];
  const LinkState<double>& x = ws.links[at.link];
  SlopeBody& b = bodies_[d];
  Vec3<double> alpha_p, A_p = -ws.gravity;
  if (link.parent != world) {
    alpha_p = ws.links[link.parent].dw;
    A_p = ws.links[link.parent].du;
  }
  b.s = b.l = {};
  SlopeColumn* const columns = columns_.data() + at.p0;
  for (int k = 0; k < at.nv; ++k) {
    SlopeColumn& c = columns[k];
    c.psi = {};
    switch (link.motion) {
      case Motion::rotation1:
        c.phi = x.s;
        break;
      case Motion::rotation3:
        c.phi = x.R.c[k];
        break;
      default:
        c.phi = ws.phi[link.v0 + k];
        c.psi = ws.psi[link.v0 + k];
    }
    b.s += ws.v[link.v0 + k] * c.phi;
    b.l += ws.v[link.v0 + k] * c.psi;
  }
  const Vec3<double>& w_p = b.w_parent;
  const Vec3<double> wr = cross(w_p, b.r);
  const Vec3<double> A_t = A_p + cross(alpha_p, b.r) + cross(w_p, wr);
  b.K = negative(hat(wr + 2.0 * b.l) + cross(w_p, hat(b.r)));
  const bool slides = link.motion == Motion::general || link.motion == Motion::free6;
  for (int k = 0; k < at.nv; ++k) {
    SlopeColumn& c = columns[k];
    c.o = cross(w_p, c.phi);
    c.by_q.n = cross(alpha_p, c.phi) + cross(c.o, b.s);
    c.by_q.f = cross(A_t, c.phi);
    c.by_v.n = c.o;
    c.by_v.f = c.slide = {};
    if (!slides) continue;
    const Vec3<double> w_psi = cross(w_p, c.psi);
    c.slide = w_psi + cross(c.phi, b.l);
    c.by_q.f += cross(alpha_p, c.psi) + cross(w_p, w_psi) + 2.0 * cross(c.o, b.l);
    c.by_v.f = w_psi + cross(b.w, c.psi) + cross(c.phi, b.l);
  }
}

// The terms with D and S'. Columns and their rates are components in the axes of the link, about
// its origin.
void LinkSlopes::correct_columns(const MotionWorkspace<double>& ws, int d) {
  const SlopeLink& at = plan_.links[d];
  const Link<double>& link = mechanism_.links[at.link];
  const Link<Dual4>& dual = dual_mechanism_.links[at.link];
  const LinkState<double>& x = ws.links[at.link];
  const SlopeBody& b = bodies_[d];
  const double *q = ws.q + link.q0, *v = ws.v + link.v0, *a = ws.vdot.data() + link.v0;
  const int nv = at.nv;
  const auto lane = [](const Vec3<Dual4>& from, int k) {
    return Vec3<double>{from.x.d[k], from.y.d[k], from.z.d[k]};
  };
  for (int first = 0; first < 2 * nv; first += 4) {
    Dual4 q_dual[7], v_dual[6];
    for (int k = 0; k < link.nq; ++k) q_dual[k] = q[k];
    for (int k = 0; k < nv; ++k) v_dual[k] = v[k];
    const int count = std::min(4, 2 * nv - first);
    for (int k = 0; k < count; ++k) {
      const int direction = first + k;
      if (direction >= nv) {
        v_dual[direction - nv].d[k] = 1;
        continue;
      }
      double unit[6] = {}, rate[7];
      unit[direction] = 1;
      calc_coordinate_rates(link, q, unit, rate);
      for (int i = 0; i < link.nq; ++i) q_dual[i].d[k] = rate[i];
    }
    const JointMotion<Dual4> m = calc_joint_motion(dual, q_dual, v_dual);
    for (int k = 0; k < count; ++k) {
      const int direction = first + k;
      // S' v, whose rates are linear in v
      Vec3<double> bias_n, bias_f;
      for (int l = 0; l < nv; ++l) {
        const double own_rate = direction - nv == l ? 1 : 0;
        bias_n += v[l] * lane(m.phi_dot[l], k) +
                  own_rate * Vec3<double>{m.phi_dot[l].x.a, m.phi_dot[l].y.a, m.phi_dot[l].z.a};
        bias_f += v[l] * lane(m.psi_dot[l], k) +
                  own_rate * Vec3<double>{m.psi_dot[l].x.a, m.psi_dot[l].y.a, m.psi_dot[l].z.a};
      }
      if (direction >= nv) {
        SlopeColumn& c = columns_[at.p0 + direction - nv];
        c.by_v.n += x.R * bias_n;
        c.by_v.f += x.R * bias_f;
        continue;
      }
      Vec3<double> speed_n, speed_f, rest_n = bias_n, rest_f = bias_f;
      for (int l = 0; l < nv; ++l) {
        const Vec3<double> n = lane(m.phi[l], k), f = lane(m.psi[l], k);
        own_.push_back({at.p0 + l, at.p0 + direction, {x.R * n, x.R * f}, d, 0});
        speed_n += v[l] * n;
        speed_f += v[l] * f;
        rest_n += a[l] * n;
        rest_f += a[l] * f;
      }
      SlopeColumn& c = columns_[at.p0 + direction];
      const Vec3<double> turn = x.R * speed_n, slide = x.R * speed_f;
      c.o += turn;
      c.slide += slide;
      c.by_q.n += x.R * rest_n + cross(b.w_parent, turn);
      c.by_q.f += x.R * rest_f + cross(b.w_parent + b.w, slide) + cross(turn, b.l);
    }
  }
}

// Wrenches of multipliers act on the links like forces.
void LinkSlopes::subtract_rows(const MotionWorkspace<double>& ws) {
  if (mechanism_.contact_row0 == 0) return;
  const int* active = ws.mode.data() + mechanism_.mode_count;
  for (const LocalLaw& law : plan_.laws)
    for (int r = law.row0; r < law.row0 + law.rows; ++r) {
      if (active[r] == 0) continue;
      for (std::size_t s = law.source0 + 2 * static_cast<std::size_t>(r - law.row0), k = 0; k < 2;
           ++k, ++s) {
        const int link = mechanism_.sources[s].link;
        if (link == world) continue;
        SlopeBody& b = bodies_[plan_.position[link]];
        b.n -= ws.lambda[r] * ws.source_n[s];
        b.f -= ws.lambda[r] * ws.source_f[s];
      }
    }
}

void LinkSlopes::fill_motion(const MotionWorkspace<double>& ws) {
  own_.clear();
  const int links = static_cast<int>(plan_.links.size());
  for (int d = 0; d < links; ++d) {
    move_link(ws, d);
    set_columns(ws, d);
    if (plan_.links[d].varying) correct_columns(ws, d);
  }
  subtract_rows(ws);
  auto own = own_.rbegin();
  for (int d = links - 1; d >= 0; --d) {
    const SlopeBody& b = bodies_[d];
    for (; own != own_.rend() && own->link == d; ++own)
      own->value = dot(own->D.n, b.n) + dot(own->D.f, b.f);
    if (plan_.links[d].parent < 0) continue;
    SlopeBody& p = bodies_[plan_.links[d].parent];
    p.n += b.n + cross(b.r, b.f);
    p.f += b.f;
  }
  hold_speeds(ws);
}

// ---------------------------------------------------------------------------------------- answers

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

// --------------------------------------------------------------------------------------- products

// One column for all displacements and speeds at once: the changes of all joints add up.
void LinkSlopes::multiply(std::span<const double> dq, std::span<const double> dv,
                          std::span<double> result) {
  const int links = static_cast<int>(plan_.links.size());
  for (Moving& x : moving_) x.p = {};
  auto own = own_.rbegin();
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = bodies_[d];
    Moving& x = moving_[d];
    Vec3<double> turn, shift;
    x.own_o = {};
    x.own_z = {};
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const SlopeColumn& c = columns_[p];
      turn += dq[p] * c.phi;
      shift += dq[p] * c.psi;
      x.own_o += dq[p] * c.o + dv[p] * c.phi;
      x.own_z.n += dq[p] * c.by_q.n + dv[p] * c.by_v.n;
      x.own_z.f += dq[p] * c.by_q.f + dv[p] * c.by_v.f;
    }
    SpatialPair P = x.p;
    P.n += b.Cn * x.own_o;
    P.f += b.Cf * x.own_o;
    if (b.ball) {
      x.z.n = -(b.A_inverse * P.n) - b.E * x.own_z.f;
      P.f += b.D_left * x.own_z.f - transpose_times(b.E, P.n);
      P.n = {};
    } else {
      const SlopeJoint& j = joints_[joint_[d]];
      double force[6] = {};
      for (; own != own_.rend() && own->link == d; ++own)
        force[own->i - at.p0] -= own->value * dq[own->k];
      if (j.loose) multiply_back_transposed(j, force);
      for (int l = 0; l < at.nv; ++l) {
        const SpatialPair S = from_six(j.S[l]);
        force[l] -= dot(S.n, P.n) + dot(S.f, P.f);
      }
      const SpatialPair I = inertia(d, x.own_z);
      P.n += I.n;
      P.f += I.f;
      for (int l = 0; l < at.nv; ++l) {
        const SpatialPair q = from_six(j.Q[l]), u = from_six(j.U[l]);
        double sum = dot(q.n, x.own_z.n) + dot(q.f, x.own_z.f);
        for (int k = 0; k < at.nv; ++k) sum += j.Di[l][k] * force[k];
        answers_[at.p0 + l] = sum;
        P.n += sum * u.n;
        P.f += sum * u.f;
      }
    }
    if (at.parent < 0) continue;
    P.n += cross(turn, b.n) + cross(shift, b.f);
    P.f += cross(turn, b.f);
    Moving& to = moving_[at.parent];
    to.p.n += P.n + cross(b.r, P.f);
    to.p.f += P.f;
  }
  const Moving ground;
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = bodies_[d];
    const Moving& p = at.parent < 0 ? ground : moving_[at.parent];
    Moving& x = moving_[d];
    SpatialPair z{p.z.n + cross(p.o, b.s), p.z.f + cross(p.z.n, b.r) + b.K * p.o};
    if (b.ball) {
      x.z.n -= b.E * z.f + b.G * p.o;
      const Vec3<double> relative = transpose_times(b.R, x.z.n - z.n - x.own_z.n);
      for (int k = 0; k < 3; ++k) result[at.p0 + k] = relative[k];
      x.z.f = z.f + x.own_z.f;
    } else {
      const SlopeJoint& j = joints_[joint_[d]];
      x.z = {z.n + x.own_z.n, z.f + x.own_z.f};
      for (int l = 0; l < at.nv; ++l) {
        const SpatialPair q = from_six(j.Q[l]), t = from_six(j.T[l]);
        const double a = answers_[at.p0 + l] + dot(q.n, z.n) + dot(q.f, z.f) +
                         dot(Vec3<double>{j.Qw[l][0], j.Qw[l][1], j.Qw[l][2]}, p.o);
        result[at.p0 + l] = a;
        x.z.n += a * t.n;
        x.z.f += a * t.f;
      }
      if (j.loose) multiply_back(j, &result[at.p0]);
    }
    x.o = p.o + x.own_o;
  }
}

// The same steps backwards: z, o, own_z, own_o, p and answers stand for what multiplies them.
void LinkSlopes::multiply_transposed(std::span<const double> weights, std::span<double> by_q,
                                     std::span<double> by_v) {
  const int links = static_cast<int>(plan_.links.size());
  for (Moving& x : moving_) {
    x.z = {};
    x.o = {};
  }
  Moving ground;
  for (int d = links - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = bodies_[d];
    Moving& p = at.parent < 0 ? ground : moving_[at.parent];
    Moving& x = moving_[d];
    x.own_o = x.o;
    SpatialPair z = x.z;
    Vec3<double> o = x.o;
    if (b.ball) {
      const Vec3<double> relative =
          b.R * Vec3<double>{weights[at.p0], weights[at.p0 + 1], weights[at.p0 + 2]};
      x.p.n = x.z.n + relative;  // of the first guess of a'
      const Vec3<double> back = transpose_times(b.E, x.p.n);
      x.own_z = {-relative, x.z.f - back};
      z = {-relative, x.z.f - back};
      o -= transpose_times(b.G, x.p.n);
    } else {
      const SlopeJoint& j = joints_[joint_[d]];
      x.own_z = x.z;
      double weight[6];
      std::copy_n(weights.data() + at.p0, at.nv, weight);
      if (j.loose) multiply_back_transposed(j, weight);
      for (int l = 0; l < at.nv; ++l) {
        const SpatialPair q = from_six(j.Q[l]), t = from_six(j.T[l]);
        const double a = weight[l] + dot(t.n, x.z.n) + dot(t.f, x.z.f);
        answers_[at.p0 + l] = a;
        z.n += a * q.n;
        z.f += a * q.f;
        o += a * Vec3<double>{j.Qw[l][0], j.Qw[l][1], j.Qw[l][2]};
      }
    }
    // z = p.z + p.o x s, p.z x r, K p.o
    o += cross(b.s, z.n) + transpose_times(b.K, z.f);
    p.o += o;
    p.z.n += z.n + cross(b.r, z.f);
    p.z.f += z.f;
  }
  ground.p = {};
  for (int d = 0; d < links; ++d) {
    const SlopeLink& at = plan_.links[d];
    const SlopeBody& b = bodies_[d];
    Moving& x = moving_[d];
    SpatialPair out;
    Vec3<double> turn, shift;
    if (at.parent >= 0) {
      const Moving& p = moving_[at.parent];
      out = {p.p.n, p.p.f + cross(p.p.n, b.r)};
      turn = cross(b.n, out.n) + cross(b.f, out.f);
      shift = cross(b.f, out.n);
    }
    double force[6] = {};
    if (b.ball) {
      const Vec3<double> first = x.p.n;
      x.own_z.f += b.D_left * out.f;
      x.p = {-(b.E * out.f) - b.A_inverse * first, out.f};
    } else {
      const SlopeJoint& j = joints_[joint_[d]];
      x.p = out;
      const SpatialPair I = inertia(d, out);
      x.own_z.n += I.n;
      x.own_z.f += I.f;
      double a[6];
      for (int l = 0; l < at.nv; ++l) {
        const SpatialPair q = from_six(j.Q[l]), u = from_six(j.U[l]);
        const double more = dot(u.n, out.n) + dot(u.f, out.f);
        a[l] = answers_[at.p0 + l] + more;
        x.own_z.n += a[l] * q.n;
        x.own_z.f += a[l] * q.f;
      }
      for (int k = 0; k < at.nv; ++k) {
        for (int l = 0; l < at.nv; ++l) force[k] += j.Di[l][k] * a[l];
        const SpatialPair S = from_six(j.S[k]);
        x.p.n -= force[k] * S.n;
        x.p.f -= force[k] * S.f;
      }
      if (j.loose) multiply_back(j, force);
    }
    const Vec3<double> o = x.own_o + transpose_times(b.Cn, x.p.n) + transpose_times(b.Cf, x.p.f);
    for (int p = at.p0; p < at.p0 + at.nv; ++p) {
      const SlopeColumn& c = columns_[p];
      by_q[p] = dot(c.o, o) + dot(c.by_q.n, x.own_z.n) + dot(c.by_q.f, x.own_z.f) +
                dot(c.phi, turn) + dot(c.psi, shift);
      by_v[p] = dot(c.phi, o) + dot(c.by_v.n, x.own_z.n) + dot(c.by_v.f, x.own_z.f);
    }
    for (int l = 0; l < at.nv; ++l) answers_[at.p0 + l] = force[l];
  }
  for (const OwnForce& own : own_) by_q[own.k] -= own.value * answers_[own.i];
}

}  // namespace cartan::mechanics
