// One link of the articulated-body recursion (recursive.h): what it presents to its joint, the
// elimination of the joint, the acceleration on the way back. Shared by the recursions for trees
// and for closed mechanisms.
#pragma once

#include <type_traits>

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics::articulated {

using core::rotate_principal;

template <class S>
void start_link(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) {
  const Link<S>& link = mechanism.links[i];
  LinkState<S>& x = ws.links[i];
  x.A = link.principal ? rotate_principal(x.R, link.J) : rotate(x.R, link.J);
  const Vec3<S> mc = x.R * link.mc;
  x.B = hat(mc);
  x.D = Sym3<S>::diagonal(link.mass, link.mass, link.mass);
  x.n = cross(x.w, x.A * x.w);
  x.f = cross(x.w, cross(x.w, mc));
  if (mechanism.has_forces) {
    x.n -= ws.wrench_n[i];
    x.f -= ws.wrench_f[i];
  }
}

// B^T a
template <class S>
Vec3<S> transposed(const Mat3<S>& B, const Vec3<S>& a) {
  return transpose_times(B, a);
}

// Row i of m.
template <class S>
Vec3<S> row(const Mat3<S>& m, int i) {
  return {m.c[0][i], m.c[1][i], m.c[2][i]};
}

// The symmetric matrix with columns r x row_i(m), known to be symmetric.
template <class S>
Sym3<S> cross_rows(const Vec3<S>& r, const Mat3<S>& m) {
  return symmetric(cross_each_row(r, m));
}

template <class S>
Mat3<S> cross(const Vec3<S>& r, const Sym3<S>& D) {
  return cross(r, full(D));
}

// Adds an articulated inertia and bias, given about the child's origin, to the parent:
//   B' = B + r^ D,  A' = A + r^ B'^T - B r^
template <class S, class Parent>
void add_to_parent(const Vec3<S>& r, const Sym3<S>& A, const Mat3<S>& B, const Sym3<S>& D,
                   const Vec3<S>& n, const Vec3<S>& f, Parent& p) {
  const Mat3<S> shifted = B + cross(r, D);
  p.D += D;
  p.B += shifted;
  p.A += A + (symmetric(cross_each_row(r, shifted)) + symmetric_lower(cross_each_row(r, B)));
  p.n += n + cross(r, f);
  p.f += f;
}

// Accelerations of the link that do not depend on its joint's v': of a joint that is held, or whose
// v' is prescribed, all of them.
template <class S>
struct Given {
  Vec3<S> w, u;
};

// No free motion through the joint.
template <class S>
void pass_welded(const LinkState<S>& x, const Given<S>& c, LinkState<S>& p) {
  add_to_parent(x.r, x.A, x.B, x.D, x.n + x.A * c.w + x.B * c.u,
                x.f + transposed(x.B, c.w) + x.D * c.u, p);
}

// I and b + I c of a link as they are about the origin of its parent.
template <class S>
struct Moved {
  Sym3<S> A;
  Mat3<S> B;
  Vec3<S> n, f;
  explicit Moved(const LinkState<S>& x)
      : B(x.B + cross(x.r, x.D)), f(x.f + transposed(x.B, x.cw) + x.D * x.cu) {
    A = x.A + (symmetric(cross_each_row(x.r, B)) + symmetric_lower(cross_each_row(x.r, x.B)));
    n = x.n + x.A * x.cw + x.B * x.cu + cross(x.r, f);
  }
};

// With V = (Un + r x Uf, Uf), which is U about the parent's origin, the parent feels
//   I' - 1/d V V^T,   b' + 1/d (u - U^T c) V     of I and b + I c moved there, I' and b'.
// They are moved while 1/d is waited for, and what it is a factor of is ready by then: from link to
// link a chain waits for U, d, 1/d and one product.
template <class S>
void pass_hinge(const LinkState<S>& x, const Vec3<S>& Vn, const Vec3<S>& Vf, const S& inverse_d,
                const S& own, LinkState<S>& p) {
  const Moved<S> moved(x);
  p.D = less_outer(p.D + x.D, inverse_d, Vf);
  p.B = less_outer(p.B + moved.B, inverse_d, Vn, Vf);
  p.A = less_outer(p.A + moved.A, inverse_d, Vn);
  p.n += moved.n + own * Vn;
  p.f += moved.f + own * Vf;
}

template <class S>
void eliminate_rotation1(LinkState<S>& x, const S& tau, const S* rotor, LinkState<S>* p) {
  x.Un = x.A * x.s;
  x.Uf = transposed(x.B, x.s);
  x.inverse_d = S(1) / (rotor ? dot(x.s, x.Un) + *rotor : dot(x.s, x.Un));
  x.reduced = tau - dot(x.s, x.n);
  x.own = x.inverse_d * (x.reduced - dot(x.Un, x.cw, x.Uf, x.cu));
  const Vec3<S> Vn = x.Un + cross(x.r, x.Uf);
  if (p) pass_hinge(x, Vn, x.Uf, x.inverse_d, x.own, *p);
  x.n = Vn;
}

// D - B^T E with E = scale CB. Of plain numbers B^T CB is ready when the scale is.
template <class S>
Mat3<S> less_answer(const Sym3<S>& D, const Mat3<S>& B, const Mat3<S>& CB, const S& scale,
                    const Mat3<S>& E) {
  if constexpr (std::is_same_v<S, double>)
    return less_scaled(full(D), scale, whole_transpose_times(B, CB));
  else
    return full(D - symmetric_transpose_times(B, E));
}

template <class S>
void eliminate_rotation3(LinkState<S>& x, const Vec3<S>& tau, LinkState<S>* p) {
  S determinant;
  const Sym3<S> cofactors = adjugate(x.A, determinant);
  const S scale = S(1) / determinant;  // waits long: used late
  const Mat3<S> CB = cofactors * x.B;
  const Mat3<S> E = scale * CB;
  const Vec3<S> g = scale * (cofactors * (tau - x.n));
  if (p) {
    const Mat3<S> D = less_answer(x.D, x.B, CB, scale, E);
    const Vec3<S> f = x.f + transposed(x.B, g) + D * x.cu;
    const Mat3<S> L = cross(x.r, D);
    x.D = symmetric(D);
    p->A += cross_rows(x.r, L);
    p->B += L;
    p->D += x.D;
    p->n += tau + cross(x.r, f);
    p->f += f;
  }
  x.B = E;
  x.n = g;
}

// K x K symmetric matrices live in the leading part of a Sym3; the rest is that of the identity.
template <int K, class S>
Sym3<S> invert_leading(const Sym3<S>& m) {
  if constexpr (K == 1) return Sym3<S>::diagonal(S(1) / m.xx, S(1), S(1));
  if constexpr (K == 3) return inverse(m);
  const S scale = S(1) / (m.xx * m.yy - m.xy * m.xy);
  return {scale * m.yy, scale * m.xx, S(1), -(scale * m.xy), S(0), S(0)};
}
// D^-1 a for K numbers
template <int K, class S>
Vec3<S> answer(const GeneralFactor<S>& g, const Vec3<S>& a) {
  const Sym3<S>& i = g.D_inverse;
  if constexpr (K == 1) return {i.xx * a.x, S(0), S(0)};
  if constexpr (K == 3) return i * a;
  return {i.xx * a.x + i.xy * a.y, i.xy * a.x + i.yy * a.y, S(0)};
}
template <class S>
S& entry(Sym3<S>& m, int i, int j) {
  S* const table[3][3] = {{&m.xx, &m.xy, &m.xz}, {&m.xy, &m.yy, &m.yz}, {&m.xz, &m.yz, &m.zz}};
  return *table[i][j];
}
template <class S>
S entry(const Sym3<S>& m, int i, int j) {
  const S table[3][3] = {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
  return table[i][j];
}

// The same for several columns: I' - V D^-1 V^T,  b' + V D^-1 (u - U^T c)
template <class S, int K>
void pass_general(const LinkState<S>& x, const GeneralFactor<S>& g, LinkState<S>& p) {
  Vec3<S> Vn[3], own;
  for (int k = 0; k < K; ++k) {
    Vn[k] = g.Un[k] + cross(x.r, g.Uf[k]);
    own[k] = g.u[k] - dot(g.Un[k], x.cw, g.Uf[k], x.cu);
  }
  if constexpr (K == 1)
    return pass_hinge(x, Vn[0], g.Uf[0], g.D_inverse.xx, g.D_inverse.xx * own.x, p);
  own = answer<K>(g, own);
  Moved<S> moved(x);
  Sym3<S> D = x.D;
  for (int k = 0; k < K; ++k) {
    Vec3<S> Wn, Wf;
    for (int l = 0; l < K; ++l) {
      Wn += entry(g.D_inverse, k, l) * Vn[l];
      Wf += entry(g.D_inverse, k, l) * g.Uf[l];
    }
    // only the sum over k is symmetric; its upper half is kept
    moved.A -= symmetric_outer(Wn, Vn[k]);
    D -= symmetric_outer(Wf, g.Uf[k]);
    moved.B -= outer(Wn, g.Uf[k]);
    moved.n += own[k] * Vn[k];
    moved.f += own[k] * g.Uf[k];
  }
  p.A += moved.A;
  p.B += moved.B;
  p.D += D;
  p.n += moved.n;
  p.f += moved.f;
}

template <class S, int K>
void eliminate_general(const Link<S>& link, MotionWorkspace<S>& ws, int i, const S* rotor,
                       LinkState<S>* p) {
  LinkState<S>& x = ws.links[i];
  GeneralFactor<S>& g = ws.factors[i];
  const Vec3<S>*phi = ws.phi.data() + link.v0, *psi = ws.psi.data() + link.v0;
  auto held = [&](int k) { return ws.any_locked && ws.locked[link.v0 + k]; };
  for (int k = 0; k < K; ++k) {
    g.Un[k] = x.A * phi[k] + x.B * psi[k];
    g.Uf[k] = transposed(x.B, phi[k]) + x.D * psi[k];
    g.u[k] = ws.tau[link.v0 + k] - dot(phi[k], x.n, psi[k], x.f);
    if (held(k)) g.Un[k] = g.Uf[k] = {}, g.u[k] = S(0);
  }
  const auto inertia = [&](int k, int l) {
    if (k >= K || l >= K || held(k) || held(l)) return S(k == l ? 1 : 0);
    const S sum = dot(phi[k], g.Un[l], psi[k], g.Uf[l]);
    return rotor && k == l ? sum + rotor[k] : sum;
  };
  g.D_inverse = invert_leading<K>(Sym3<S>{inertia(0, 0), inertia(1, 1), inertia(2, 2),
                                          inertia(0, 1), inertia(0, 2), inertia(1, 2)});
  if (p) pass_general<S, K>(x, g, *p);
}

// All accelerations of the link follow from its own balance; the parent feels the joint force
// alone.
template <class S>
void eliminate_free(const Link<S>& link, MotionWorkspace<S>& ws, int i, LinkState<S>* p) {
  LinkState<S>& x = ws.links[i];
  const S* tau = ws.tau.data() + link.v0;
  // the wrench whose power on the columns is tau: turning columns also move o when the joint is
  // crossed from child to parent
  Vec3<S> n, f;
  for (int k = 3; k < 6; ++k) f += tau[k] * ws.psi[link.v0 + k];
  for (int k = 0; k < 3; ++k) n += (tau[k] - dot(ws.psi[link.v0 + k], f)) * ws.phi[link.v0 + k];
  if (p) {
    p->n += n + cross(x.r, f);
    p->f += f;
  }
  const Sym3<S> A_inverse = inverse(x.A);
  const Mat3<S> E = A_inverse * x.B;
  const Vec3<S> a = A_inverse * (n - x.n);
  const Sym3<S> schur = x.D - symmetric_transpose_times(x.B, E);
  x.du = inverse(schur) * (f - x.f - transposed(x.B, a));
  x.dw = a - E * x.du;
}

template <class S>
bool all_locked(const Link<S>& link, const MotionWorkspace<S>& ws) {
  if (!ws.any_locked) return false;
  for (int k = 0; k < link.nv; ++k)
    if (!ws.locked[link.v0 + k]) return false;
  return true;
}

// The joint's v' is not an unknown.
template <class S>
bool is_held(const Link<S>& link, const MotionWorkspace<S>& ws) {
  return link.motion == Motion::weld || link.driven || all_locked(link, ws);
}

template <class S>
Given<S> given_acceleration(const Link<S>& link, const MotionWorkspace<S>& ws, int i) {
  const LinkState<S>& x = ws.links[i];
  Given<S> c{x.cw, x.cu};
  if (!link.driven) return c;
  const S* a = ws.prescribed.data() + link.v0;
  if (link.motion == Motion::rotation1) {
    c.w += a[0] * x.s;
    return c;
  }
  for (int k = 0; k < link.nv; ++k) {
    c.w += a[k] * ws.phi[link.v0 + k];
    c.u += a[k] * ws.psi[link.v0 + k];
  }
  return c;
}

template <class S>
void eliminate(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) {
  const Link<S>& link = mechanism.links[i];
  LinkState<S>& x = ws.links[i];
  LinkState<S>* p = link.parent == world ? nullptr : &ws.links[link.parent];
  if (is_held(link, ws)) {
    if (p) pass_welded(x, given_acceleration(link, ws, i), *p);
    return;
  }
  const S* rotor = link.geared ? mechanism.rotor.data() + link.v0 : nullptr;
  switch (link.motion) {
    case Motion::rotation1:
      return eliminate_rotation1(x, ws.tau[link.v0], rotor, p);
    case Motion::rotation3: {
      const S* tau = ws.tau.data() + link.v0;
      return eliminate_rotation3(x, x.R * Vec3<S>{tau[0], tau[1], tau[2]}, p);
    }
    case Motion::free6:
      return eliminate_free(link, ws, i, p);
    default:
      if (link.nv == 1) return eliminate_general<S, 1>(link, ws, i, rotor, p);
      if (link.nv == 2) return eliminate_general<S, 2>(link, ws, i, rotor, p);
      return eliminate_general<S, 3>(link, ws, i, rotor, p);
  }
}

// A link's own inertia is put in place just before the first child adds to it, while it is in
// cache.
template <class S>
void eliminate_from_tip(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) {
  const Link<S>& link = mechanism.links[i];
  if (link.leaf) start_link(mechanism, ws, i);
  if (link.last_child) start_link(mechanism, ws, link.parent);
  eliminate(mechanism, ws, i);
}

// v' of a hinge is what it would be if the parent stood still, less 1/d V . (acceleration of the
// parent): the next link waits for little.
template <class S>
Given<S> accelerate_rotation1(LinkState<S>& x, const Given<S>& parent, S* a) {
  a[0] = x.own - x.inverse_d * dot(x.n, parent.w, x.Uf, parent.u);
  return {(parent.w + x.cw) + a[0] * x.s, (parent.u + x.cu) + cross(parent.w, x.r)};
}

// dw = A^-1 (tau - n) - E du with E = A^-1 B and du = u + cu + w x r of the parent's w and u. Of
// plain numbers dw need not wait for du: a row e of E times w x r is (r x e) . w.
template <class S>
Given<S> accelerate_rotation3(LinkState<S>& x, const Given<S>& parent, S* a) {
  const Vec3<S> u = (parent.u + x.cu) + cross(parent.w, x.r);
  Vec3<S> w;
  if constexpr (std::is_same_v<S, double>)
    w = less_product(less_product(x.n, x.B, x.cu), x.B, parent.u) -
        cross_each_row(x.r, x.B) * parent.w;
  else
    w = x.n - x.B * u;
  const Vec3<S> relative = transpose_times(x.R, (w - x.cw) - parent.w);
  a[0] = relative.x, a[1] = relative.y, a[2] = relative.z;
  return {w, u};
}

template <class S>
Given<S> accelerate_free(const Link<S>& link, MotionWorkspace<S>& ws, const LinkState<S>& x,
                         const Given<S>& still, S* a) {
  Vec3<S> relative = x.du - still.u;
  for (int k = 0; k < 3; ++k) {
    a[k] = dot(ws.phi[link.v0 + k], x.dw - still.w);
    relative -= a[k] * ws.psi[link.v0 + k];
  }
  for (int k = 3; k < 6; ++k) a[k] = dot(ws.psi[link.v0 + k], relative);
  return {x.dw, x.du};
}

template <class S, int K>
Given<S> accelerate_general(const Link<S>& link, const MotionWorkspace<S>& ws,
                            const GeneralFactor<S>& g, Given<S> x, S* a) {
  const Vec3<S>*phi = ws.phi.data() + link.v0, *psi = ws.psi.data() + link.v0;
  Vec3<S> rhs;
  for (int k = 0; k < K; ++k) rhs[k] = g.u[k] - dot(g.Un[k], x.w, g.Uf[k], x.u);
  rhs = answer<K>(g, rhs);
  for (int k = 0; k < K; ++k) {
    a[k] = rhs[k];
    x.w += rhs[k] * phi[k];
    x.u += rhs[k] * psi[k];
  }
  return x;
}

template <class S>
Given<S> accelerate_other(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i,
                          const Given<S>& parent) {
  const Link<S>& link = mechanism.links[i];
  LinkState<S>& x = ws.links[i];
  S* a = ws.vdot.data() + link.v0;
  const Vec3<S> carried = parent.u + cross(parent.w, x.r);
  if (is_held(link, ws)) {
    const Given<S> c = given_acceleration(link, ws, i);
    for (int k = 0; k < link.nv; ++k) a[k] = link.driven ? ws.prescribed[link.v0 + k] : S(0);
    return {parent.w + c.w, carried + c.u};
  }
  const Given<S> still{parent.w + x.cw, carried + x.cu};
  if (link.motion == Motion::free6) return accelerate_free(link, ws, x, still, a);
  if (link.nv == 1) return accelerate_general<S, 1>(link, ws, ws.factors[i], still, a);
  if (link.nv == 2) return accelerate_general<S, 2>(link, ws, ws.factors[i], still, a);
  return accelerate_general<S, 3>(link, ws, ws.factors[i], still, a);
}

// Accelerations one link after the other, outward; links come after their parents. That of the last
// one is kept at hand: mostly it is the parent.
template <class S>
class Outward {
 public:
  Outward(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws)
      : mechanism_(mechanism), ws_(ws), last_{{}, -ws.gravity} {}

  void operator()(int i) {
    const Link<S>& link = mechanism_.links[i];
    LinkState<S>& x = ws_.links[i];
    if (link.parent != i - 1) last_ = acceleration_of(link.parent);
    S* a = ws_.vdot.data() + link.v0;
    const bool free = !link.driven && !ws_.any_locked;
    if (free && link.motion == Motion::rotation1)
      last_ = accelerate_rotation1(x, last_, a);
    else if (free && link.motion == Motion::rotation3)
      last_ = accelerate_rotation3(x, last_, a);
    else
      last_ = accelerate_any(i);
    x.dw = last_.w;
    x.du = last_.u;
  }

 private:
  Given<S> acceleration_of(int link) const {
    if (link == world) return {{}, -ws_.gravity};
    return {ws_.links[link].dw, ws_.links[link].du};
  }
  Given<S> accelerate_any(int i) {
    const Link<S>& link = mechanism_.links[i];
    if (!is_held(link, ws_)) {
      if (link.motion == Motion::rotation1)
        return accelerate_rotation1(ws_.links[i], last_, ws_.vdot.data() + link.v0);
      if (link.motion == Motion::rotation3)
        return accelerate_rotation3(ws_.links[i], last_, ws_.vdot.data() + link.v0);
    }
    return accelerate_other(mechanism_, ws_, i, last_);
  }

  const Mechanism<S>& mechanism_;
  MotionWorkspace<S>& ws_;
  Given<S> last_;
};

}  // namespace cartan::mechanics::articulated
