// cylindrical: C turns about the axis a and slides along it.
//   R = exp(a q0), p = q1 a      (a, 0), (0, a)
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct CylindricalJoint : PlainJoint {
  static constexpr JointType type = JointType::cylindrical;
  static constexpr bool has_constant_columns(bool) { return true; }

  template <class S>
  static void fill_motion(const Link<S>& link, const S* q, const S*, JointMotion<S>& m) {
    m.R = turned_about(link.axis, q[0]);
    m.p = q[1] * link.axis;
    m.phi[0] = link.axis;
    m.psi[1] = link.axis;
  }
  template <class S>
  static void fill_displacement(const Link<S>& link, const S*, const S* d,
                                JointDisplacement<S>& x) {
    x.turn = exp_quat(d[0] * link.axis);
    x.shift = d[1] * link.axis;
  }
  template <class S, class Equations>
  static void hold(const LoopJoint<S>& loop, Equations&& hold) {
    hold.along(loop.side1);
    hold.along(loop.side2);
    hold.axis(loop.shape.axis);
  }
  template <class S>
  static void fill_coordinates(const LoopJoint<S>& loop, const RelativePose<S>& x, const int* turns,
                               S* q) {
    q[0] = angle_near(loop_angle(loop, x.R), turns[0]);
    q[1] = dot(loop.shape.axis, x.p);
  }
  template <class S>
  static void fill_speeds(const LoopJoint<S>& loop, const LoopSpeedWriter<S>& speeds) {
    speeds.turn_about_P(0, loop.shape.axis);
    speeds.slide_along_P(1, loop.shape.axis);
  }
};

}  // namespace cartan::mechanics
