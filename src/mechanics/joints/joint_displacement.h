// Joints moved by a finite displacement d in their own motions, q1 = q (+) d: the change of the
// joint's pose with all digits of d, however small it is beside q.
//
//   plain coordinates    q1 = q + d
//   unit quaternions     u1 = u exp(d)
//   places behind them   p1 = p + R(u) d_linear   (product: p + d_linear)
#pragma once

#include "mechanics/joints/joint_motion.h"

namespace cartan::mechanics {

// Seen from the other side, with E = R(turn):
//   R1^T = E^T R^T,   -(R1^T p1 - R^T p) = -(E^T R^T (p1 - p) + (E^T - 1) R^T p)
template <class S>
JointDisplacement<S> reversed_displacement(const JointMotion<S>& m, const JointDisplacement<S>& x) {
  const Quat<S> back = conjugate(x.turn);
  const Vec3<S> shift = transpose_times(m.R, x.shift);
  JointDisplacement<S> r;
  r.turn = Quat<S>(back.w, m.R * back.vector());
  r.shift = -(shift + turned_difference(back, shift + transpose_times(m.R, m.p)));
  return r;
}

template <class S>
JointDisplacement<S> calc_joint_displacement(const Link<S>& link, const S* q, const S* d) {
  JointDisplacement<S> x;
  visit_joint(link.type, [&](auto joint) { joint.fill_displacement(link, q, d, x); });
  if (!link.reversed) return x;
  const S still[6] = {S(0), S(0), S(0), S(0), S(0), S(0)};
  return reversed_displacement(forward_motion(link, q, still), x);
}

// to + low_to = from + low + change, exactly (Moller, Knuth).
inline void add_with_remainder(double from, double low, double change, double& to, double& low_to) {
  const double sum = low + change, value = from + sum, part = value - from;
  low_to = (from - (value - part)) + (sum - part);
  to = value;
}

// q1 + low1 = (q + low) (+) d. Quaternions: u exp(d) - u = u (exp(d) - 1), where
// cos a - 1 = -sin^2 a / (1 + cos a) where cos a is not negative; their length is one up to the
// square of rounding and is not touched.
inline void displace_coordinates(const Link<double>& link, const double* d, const double* q,
                                 const double* low, double* q1, double* low1) {
  if (!has_quaternion(link)) {
    for (int k = 0; k < link.nv; ++k) add_with_remainder(q[k], low[k], d[k], q1[k], low1[k]);
    return;
  }
  const Quat<double> u = quaternion_at(q), rest = quaternion_at(low);
  const Quat<double> e = exp_quat(Vec3<double>{d[0], d[1], d[2]});
  const Quat<double> less_one(e.w < 0 ? e.w - 1 : -norm2(e.vector()) / (1 + e.w), e.vector());
  const Quat<double> change = u * less_one + rest * less_one;
  const double by[4] = {change.w, change.x, change.y, change.z};
  for (int k = 0; k < 4; ++k) add_with_remainder(q[k], low[k], by[k], q1[k], low1[k]);
  if (!has_place(link)) return;
  Vec3<double> shift{d[3], d[4], d[5]};
  if (!link.product) shift = rotation_matrix(u) * shift;
  for (int k = 0; k < 3; ++k)
    add_with_remainder(q[4 + k], low[4 + k], shift[k], q1[4 + k], low1[4 + k]);
}

}  // namespace cartan::mechanics
