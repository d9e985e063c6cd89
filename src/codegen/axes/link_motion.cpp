#include "codegen/axes/link_motion.h"

#include <cmath>

#include "mechanics/joints/joint_motion.h"
#include "symbolic/expression.h"

namespace cartan::codegen {
namespace {

bool is_number(double x, double value) {
  return x == value;
}
bool is_number(const Expression& x, double value) {
  return x.is_number() && x.number() == value;
}

// The coordinate axis a is, and its sign; axis = -1: none.
struct AxisSign {
  int axis = -1;
  double sign = 1;
};
template <class S>
AxisSign find_axis(const Vec3<S>& a) {
  for (int k = 0; k < 3; ++k) {
    if (!is_number(a[(k + 1) % 3], 0) || !is_number(a[(k + 2) % 3], 0)) continue;
    for (const double sign : {1.0, -1.0})
      if (is_number(a[k], sign)) return {k, sign};
  }
  return {};
}

// a turned in the plane of the components beside `axis`: by the angle of (sine, cosine).
template <class S>
Vec3<S> turn_in_plane(int axis, const S& sine, const S& cosine, const Vec3<S>& a) {
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  Vec3<S> b = a;
  b[i] = cosine * a[i] - sine * a[j];
  b[j] = sine * a[i] + cosine * a[j];
  return b;
}

// The four entries of R m R^T beside `axis`, R the turn in their plane:
//   [a b; c d] -> [a - t  b + u; c + u  d + t],  t = s^2 (a - d) + s c (b + c),
//                                                u = s c (a - d) - s^2 (b + c)
template <class S>
void turn_four(int i, int j, const S& sine, const S& cosine, const Mat3<S>& m, Mat3<S>& n) {
  const S difference = m(i, i) - m(j, j), sum = m(i, j) + m(j, i);
  const S ss = sine * sine, sc = sine * cosine;
  const S t = ss * difference + sc * sum, u = sc * difference - ss * sum;
  n(i, i) = m(i, i) - t;
  n(j, j) = m(j, j) + t;
  n(i, j) = m(i, j) + u;
  n(j, i) = m(j, i) + u;
}

// The same as squares: c^2 a + s^2 d - s c (b + c), ..
template <class S>
void turn_four_plainly(int i, int j, const S& sine, const S& cosine, const Mat3<S>& m, Mat3<S>& n) {
  const S ss = sine * sine, cc = cosine * cosine, sc = sine * cosine;
  const S mixed = sc * (m(i, j) + m(j, i)), shear = sc * (m(i, i) - m(j, j));
  n(i, i) = cc * m(i, i) + ss * m(j, j) - mixed;
  n(j, j) = ss * m(i, i) + cc * m(j, j) + mixed;
  n(i, j) = cc * m(i, j) - ss * m(j, i) + shear;
  n(j, i) = cc * m(j, i) - ss * m(i, j) + shear;
}

template <class S>
Mat3<S> turn_in_plane(int k, TurnForm form, const S& sine, const S& cosine, const Mat3<S>& m) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  Mat3<S> n;
  n(k, k) = m(k, k);
  if (form == TurnForm::plain)
    turn_four_plainly(i, j, sine, cosine, m, n);
  else
    turn_four(i, j, sine, cosine, m, n);
  n(i, k) = cosine * m(i, k) - sine * m(j, k);
  n(j, k) = sine * m(i, k) + cosine * m(j, k);
  n(k, i) = cosine * m(k, i) - sine * m(k, j);
  n(k, j) = sine * m(k, i) + cosine * m(k, j);
  return n;
}

// hat(dw) + hat(w) hat(w)
template <class S>
Mat3<S> calc_rate_matrix(const Vec3<S>& w, const Vec3<S>& dw) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const S xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return Mat3<S>::columns({-(yy + zz), xy + dw.z, xz - dw.y}, {xy - dw.z, -(xx + zz), yz + dw.x},
                          {xz + dw.y, yz - dw.x, -(xx + yy)});
}

// J dw + w x J w
template <class S>
Vec3<S> calc_turning_moment(const LinkMotion<S>& x) {
  const Sym3<S>& J = x.J;
  const Mat3<S>& H = x.H;
  const Vec3<S>&w = x.w, &dw = x.dw;
  return {J.xx * dw.x + (J.zz - J.yy) * (w.y * w.z) + (J.xz * H(1, 0) - J.xy * H(2, 0)) +
              J.yz * (H(1, 1) - H(2, 2)),
          J.yy * dw.y + (J.xx - J.zz) * (w.x * w.z) + (J.xy * H(2, 1) - J.yz * H(0, 1)) +
              J.xz * (H(2, 2) - H(0, 0)),
          J.zz * dw.z + (J.yy - J.xx) * (w.x * w.y) + (J.yz * H(0, 2) - J.xz * H(1, 2)) +
              J.xy * (H(0, 0) - H(1, 1))};
}

// The part of the offset along the joint's axis goes to the link's side of the joint, unless the
// origin would run away from a body that is small against the distance.
template <class S>
void put_origin_on_axis(const Link<S>& link, LinkMotion<S>& x) {
  const Vec3<S> a = x.turned ? link.R_tree.c[x.axis] : unit_vector<S>(x.axis);
  const AxisSign along = find_axis(a);
  if (along.axis < 0) return;
  const double part = value_of(x.r[along.axis]);
  const Vec3<S>& p = link.p_tree;
  const double reach = std::hypot(value_of(p.x), value_of(p.y), value_of(p.z));
  if (!(std::fabs(part) <= 2 * reach)) return;
  x.h[x.axis] = along.sign > 0 ? x.r[along.axis] : -x.r[along.axis];
  x.r[along.axis] = S(0);
}

template <class S>
void place(const Link<S>& link, const S* q, const S* v, const Vec3<S>& h_parent, LinkMotion<S>& x) {
  x.joint = calc_joint_motion(link, q, v);
  x.turned = link.turned;
  x.R_tree = link.R_tree;
  x.r = link.p_tree + (link.turned ? link.R_tree * x.joint.p : x.joint.p) + h_parent;
  if (link.motion != Motion::rotation1) return;
  const AxisSign found = find_axis(link.axis);
  x.axis = found.axis;
  if (x.axis < 0) return;
  sincos(q[0], x.sine, x.cosine);
  if (found.sign < 0) x.sine = -x.sine;
  put_origin_on_axis(link, x);
}

// J' = J + (h.c + c.h) 1 - h c^T - c h^T + m (h.h 1 - h h^T), c the first moment
template <class S>
void set_body(const Link<S>& link, LinkMotion<S>& x) {
  const Vec3<S>&h = x.h, &c = link.mc;
  x.mass = link.mass;
  x.mc = c + link.mass * h;
  const S two(2), hc = two * dot(h, c);
  x.J = link.J + link.mass * minus_hat_squared(h) +
        Sym3<S>{hc - two * h.x * c.x,     hc - two * h.y * c.y,     hc - two * h.z * c.z,
                -(h.x * c.y + h.y * c.x), -(h.x * c.z + h.z * c.x), -(h.y * c.z + h.z * c.y)};
}

template <class S>
void move(const Link<S>& link, const MotionWorkspace<S>& ws, const LinkMotion<S>& p,
          LinkMotion<S>& x) {
  Vec3<S> turn, slide, turn_rate, slide_rate;
  for (int k = 0; k < link.nv; ++k) {
    const int j = link.v0 + k;
    turn += ws.v[j] * x.joint.phi[k];
    slide += ws.v[j] * x.joint.psi[k];
    turn_rate += ws.v[j] * x.joint.phi_dot[k];
    slide_rate += ws.v[j] * x.joint.psi_dot[k];
    if (!link.driven) continue;
    turn_rate += ws.prescribed[j] * x.joint.phi[k];
    slide_rate += ws.prescribed[j] * x.joint.psi[k];
  }
  const Vec3<S> w_in = x.outward(p.w);
  x.w = w_in + turn;
  x.dw = x.outward(p.dw) + cross(w_in, turn) + turn_rate;
  x.a = x.outward(p.a + p.H * x.r) + cross(w_in + x.w, slide) + slide_rate;
  x.H = calc_rate_matrix(x.w, x.dw);
  x.n = calc_turning_moment(x) + cross(x.mc, x.a);
  x.f = x.mass * x.a + x.H * x.mc;
}

}  // namespace

template <class S>
Vec3<S> LinkMotion<S>::to_joint(const Vec3<S>& v) const {
  const Vec3<S> b = turned ? transpose_times(R_tree, v) : v;
  return axis < 0 ? transpose_times(joint.R, b) : b;
}

template <class S>
Vec3<S> LinkMotion<S>::to_link(const Vec3<S>& v) const {
  return axis < 0 ? v : turn_in_plane<S>(axis, -sine, cosine, v);
}

template <class S>
Vec3<S> LinkMotion<S>::from_link(const Vec3<S>& v) const {
  return axis < 0 ? v : turn_in_plane(axis, sine, cosine, v);
}

template <class S>
Mat3<S> LinkMotion<S>::from_link(const Mat3<S>& m) const {
  return axis < 0 ? m : turn_in_plane(axis, form, sine, cosine, m);
}

template <class S>
Sym3<S> LinkMotion<S>::from_link(const Sym3<S>& m) const {
  return axis < 0 ? m : symmetric(turn_in_plane(axis, form, sine, cosine, full(m)));
}

template <class S>
Vec3<S> LinkMotion<S>::from_joint(const Vec3<S>& v) const {
  const Vec3<S> b = axis < 0 ? joint.R * v : v;
  return turned ? R_tree * b : b;
}

template <class S>
Mat3<S> LinkMotion<S>::from_joint(const Mat3<S>& m) const {
  const Mat3<S> b = axis < 0 ? joint.R * m * transpose(joint.R) : m;
  return turned ? R_tree * b * transpose(R_tree) : b;
}

template <class S>
Sym3<S> LinkMotion<S>::from_joint(const Sym3<S>& m) const {
  const Sym3<S> b = axis < 0 ? rotate(joint.R, m) : m;
  return turned ? rotate(R_tree, b) : b;
}

template <class S>
std::vector<LinkMotion<S>> calc_link_motions(const Mechanism<S>& mechanism,
                                             const MotionWorkspace<S>& ws, TurnForm form) {
  std::vector<LinkMotion<S>> frames(mechanism.links.size());
  LinkMotion<S> ground;
  ground.a = -ws.gravity;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    const LinkMotion<S>& p = link.parent == world ? ground : frames[link.parent];
    LinkMotion<S>& x = frames[i];
    x.form = form;
    place(link, ws.q + link.q0, ws.v + link.v0, p.h, x);
    set_body(link, x);
    move(link, ws, p, x);
    if (!mechanism.has_forces) continue;
    const Vec3<S> force = transpose_times(ws.links[i].R, ws.wrench_f[i]);
    x.n -= transpose_times(ws.links[i].R, ws.wrench_n[i]) + cross(x.h, force);
    x.f -= force;
  }
  return frames;
}

#define CARTAN_INSTANTIATE(S)                                                   \
  template struct LinkMotion<S>;                                                \
  template std::vector<LinkMotion<S>> calc_link_motions<S>(const Mechanism<S>&, \
                                                           const MotionWorkspace<S>&, TurnForm);
CARTAN_INSTANTIATE(double)
CARTAN_INSTANTIATE(Expression)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::codegen
