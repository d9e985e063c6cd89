// The motion of any joint: pose of C in P and motion columns, from either side; its coordinates in
// motion. The types one by one: all_joints.h.
#pragma once

#include "mechanics/joints/all_joints.h"

namespace cartan::mechanics {

template <class S>
JointMotion<S> forward_motion(const Link<S>& link, const S* q, const S* v) {
  JointMotion<S> m;
  visit_joint(link.type, [&](auto joint) { joint.fill_motion(link, q, v, m); });
  return m;
}

// The same joint seen from the other side: pose of P in C and the motion of P relative to C in P's
// axes, -Ad_X (phi, psi). Rates of the columns: -Ad_X (ad_V S_k + S_k').
template <class S>
JointMotion<S> reversed_motion(const JointMotion<S>& m, int nv, const S* v) {
  JointMotion<S> r;
  r.varies = true;
  r.R = transpose(m.R);
  r.p = -transpose_times(m.R, m.p);
  Vec3<S> w, u;
  for (int k = 0; k < nv; ++k) {
    w += v[k] * m.phi[k];
    u += v[k] * m.psi[k];
  }
  auto set = [&](const Vec3<S>& phi, const Vec3<S>& psi, Vec3<S>& phi_r, Vec3<S>& psi_r) {
    const Vec3<S> turned = m.R * phi;
    phi_r = -turned;
    psi_r = -(m.R * psi + cross(m.p, turned));
  };
  for (int k = 0; k < nv; ++k) {
    set(m.phi[k], m.psi[k], r.phi[k], r.psi[k]);
    set(cross(w, m.phi[k]) + m.phi_dot[k], cross(w, m.psi[k]) + cross(u, m.phi[k]) + m.psi_dot[k],
        r.phi_dot[k], r.psi_dot[k]);
  }
  return r;
}

template <class S>
JointMotion<S> calc_joint_motion(const Link<S>& link, const S* q, const S* v) {
  JointMotion<S> m = forward_motion(link, q, v);
  if (link.reversed) m = reversed_motion(m, link.nv, v);
  return m;
}

// Kinds of coordinates (model/joint_types.h): a unit quaternion, and lengths behind it.
template <class S>
bool has_quaternion(const Link<S>& link) {
  return link.nq > link.nv;
}
template <class S>
bool has_place(const Link<S>& link) {
  return link.nq == 7;
}

// q' from v: plain coordinates q' = v; unit quaternions u' = 1/2 u (0, w); places behind them
// p' = R v (product: p' = v).
template <class S>
void calc_coordinate_rates(const Link<S>& link, const S* q, const S* v, S* qdot) {
  if (!has_quaternion(link)) {
    for (int k = 0; k < link.nv; ++k) qdot[k] = v[k];
    return;
  }
  const S half(0.5);
  const S wx = half * v[0], wy = half * v[1], wz = half * v[2];
  qdot[0] = -(q[1] * wx + q[2] * wy + q[3] * wz);
  qdot[1] = q[0] * wx + q[2] * wz - q[3] * wy;
  qdot[2] = q[0] * wy + q[3] * wx - q[1] * wz;
  qdot[3] = q[0] * wz + q[1] * wy - q[2] * wx;
  if (link.product) {
    for (int k = 0; k < 3; ++k) qdot[4 + k] = v[3 + k];
  } else if (has_place(link)) {
    const Vec3<S> rate = rotation_matrix(quaternion_at(q)) * Vec3<S>{v[3], v[4], v[5]};
    qdot[4] = rate.x, qdot[5] = rate.y, qdot[6] = rate.z;
  }
}

// q <- q exp(d): moved by d in the joint's own motions.
template <class S>
void move_coordinates(const Link<S>& link, const S* d, S* q) {
  if (!has_quaternion(link)) {
    for (int k = 0; k < link.nv; ++k) q[k] += d[k];
    return;
  }
  const Quat<S> from = quaternion_at(q);
  const Quat<S> to = normalized(from * exp_quat(Vec3<S>{d[0], d[1], d[2]}));
  q[0] = to.w, q[1] = to.x, q[2] = to.y, q[3] = to.z;
  if (link.product) {
    for (int k = 0; k < 3; ++k) q[4 + k] += d[3 + k];
  } else if (has_place(link)) {
    const Vec3<S> shift = rotation_matrix(from) * Vec3<S>{d[3], d[4], d[5]};
    q[4] += shift.x, q[5] += shift.y, q[6] += shift.z;
  }
}

// d with  to = from exp(d), to first order in a place behind a quaternion.
template <class S>
void calc_coordinate_change(const Link<S>& link, const S* from, const S* to, S* d) {
  if (!has_quaternion(link)) {
    for (int k = 0; k < link.nv; ++k) d[k] = to[k] - from[k];
    return;
  }
  const Vec3<S> turn = log(conjugate(quaternion_at(from)) * quaternion_at(to));
  d[0] = turn.x, d[1] = turn.y, d[2] = turn.z;
  if (has_place(link)) {
    const Vec3<S> shift =
        transpose_times(rotation_matrix(quaternion_at(from)),
                        Vec3<S>{to[4] - from[4], to[5] - from[5], to[6] - from[6]});
    d[3] = shift.x, d[4] = shift.y, d[5] = shift.z;
  }
}

// Generalised force dual to v from the gradient g of a function of q: tau with g . q' = tau . v.
template <class S>
void add_force_from_gradient(const Link<S>& link, const S* q, const S* g, const S& factor, S* tau) {
  if (!has_quaternion(link)) {
    for (int k = 0; k < link.nv; ++k) tau[k] += factor * g[k];
    return;
  }
  const S half = factor * S(0.5);
  tau[0] += half * (-q[1] * g[0] + q[0] * g[1] + q[3] * g[2] - q[2] * g[3]);
  tau[1] += half * (-q[2] * g[0] - q[3] * g[1] + q[0] * g[2] + q[1] * g[3]);
  tau[2] += half * (-q[3] * g[0] + q[2] * g[1] - q[1] * g[2] + q[0] * g[3]);
  if (has_place(link)) {
    const Vec3<S> f = transpose_times(rotation_matrix(quaternion_at(q)), Vec3<S>{g[4], g[5], g[6]});
    for (int k = 0; k < 3; ++k) tau[3 + k] += factor * f[k];
  }
}

}  // namespace cartan::mechanics
