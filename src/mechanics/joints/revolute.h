// revolute: C turns about the axis a.
//   R = exp(a q)      phi = a
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct RevoluteJoint : PlainJoint {
  static constexpr JointType type = JointType::revolute;
  static constexpr Motion motion_kind = Motion::rotation1;
  static constexpr bool has_constant_columns(bool) { return true; }

  template <class S>
  static void fill_motion(const Link<S>& link, const S* q, const S*, JointMotion<S>& m) {
    m.R = turned_about(link.axis, q[0]);
    m.phi[0] = link.axis;
  }
  template <class S>
  static void fill_displacement(const Link<S>& link, const S*, const S* d,
                                JointDisplacement<S>& x) {
    x.turn = exp_quat(d[0] * link.axis);
  }
  template <class S, class Equations>
  static void hold(const LoopJoint<S>& loop, Equations&& hold) {
    hold.origin();
    hold.axis(loop.shape.axis);
  }
  template <class S>
  static void fill_coordinates(const LoopJoint<S>& loop, const RelativePose<S>& x, const int* turns,
                               S* q) {
    q[0] = angle_near(loop_angle(loop, x.R), turns[0]);
  }
  template <class S>
  static void fill_speeds(const LoopJoint<S>& loop, const LoopSpeedWriter<S>& speeds) {
    speeds.turn_about_P(0, loop.shape.axis);
  }
};

}  // namespace cartan::mechanics
