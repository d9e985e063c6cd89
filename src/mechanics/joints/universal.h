// universal: C turns about a1, fixed in P, and a2, fixed in C.
//   R = exp(a1 q0) exp(a2 q1)      phi_0 = exp(-a2 q1) a1, phi_1 = a2
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct UniversalJoint : PlainJoint {
  static constexpr JointType type = JointType::universal;
  static constexpr bool has_constant_columns(bool) { return false; }

  template <class S>
  static void fill_motion(const Link<S>& link, const S* q, const S* v, JointMotion<S>& m) {
    const Mat3<S> R2 = turned_about(link.axis2, q[1]);
    m.R = turned_about(link.axis, q[0]) * R2;
    m.phi[0] = transpose_times(R2, link.axis);
    m.phi[1] = link.axis2;
    m.varies = true;
    m.phi_dot[0] = cross(m.phi[0], v[1] * link.axis2);
  }
  // R2^T exp(a1 d0) R2 exp(a2 d1)
  template <class S>
  static void fill_displacement(const Link<S>& link, const S* q, const S* d,
                                JointDisplacement<S>& x) {
    const Vec3<S> first = transpose_times(turned_about(link.axis2, q[1]), link.axis);
    x.turn = exp_quat(d[0] * first) * exp_quat(d[1] * link.axis2);
  }
  template <class S, class Equations>
  static void hold(const LoopJoint<S>& loop, Equations&& hold) {
    hold.origin();
    hold.angle(loop.shape.axis, loop.shape.axis2);
  }
  // R a2 = exp(a1 q0) a2 and R^T a1 = exp(-a2 q1) a1
  template <class S>
  static void fill_coordinates(const LoopJoint<S>& loop, const RelativePose<S>& x, const int* turns,
                               S* q) {
    const Vec3<S>&a1 = loop.shape.axis, &a2 = loop.shape.axis2;
    const S c = dot(a1, a2);
    const Vec3<S> b2 = x.R * a2, b1 = transpose_times(x.R, a1);
    const S first = atan2(dot(a1, cross(a2, b2)), dot(a2, b2) - c * dot(a1, b2));
    const S second = atan2(dot(a2, cross(b1, a1)), dot(b1, a1) - c * dot(a2, b1));
    q[0] = angle_near(first, turns[0]);
    q[1] = angle_near(second, turns[1]);
  }
  // w = v0 a1 + v1 a2, a1 fixed in P, a2 in C: the dual pair, constant c = a1 . a2
  template <class S>
  static void fill_speeds(const LoopJoint<S>& loop, const LoopSpeedWriter<S>& speeds) {
    const Vec3<S> a1 = speeds.x.R_P * loop.shape.axis, a2 = speeds.x.R_C * loop.shape.axis2;
    const Vec3<S> a1_rate = cross(speeds.w_P, a1), a2_rate = cross(speeds.w_C, a2);
    const S c = dot(loop.shape.axis, loop.shape.axis2), scale = S(1) / (S(1) - c * c);
    LoopSpeed<S>* v = speeds.v;
    v[0] = {};
    v[1] = {};
    v[0].alpha = scale * (a1 - c * a2);
    v[1].alpha = scale * (a2 - c * a1);
    v[0].alpha_rate = scale * (a1_rate - c * a2_rate);
    v[1].alpha_rate = scale * (a2_rate - c * a1_rate);
  }
};

}  // namespace cartan::mechanics
