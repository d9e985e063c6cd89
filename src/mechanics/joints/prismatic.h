// prismatic: C slides along the axis a.
//   p = q a      psi = a
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct PrismaticJoint : PlainJoint {
  static constexpr JointType type = JointType::prismatic;
  static constexpr bool has_constant_columns(bool) { return true; }

  template <class S>
  static void fill_motion(const Link<S>& link, const S* q, const S*, JointMotion<S>& m) {
    m.p = q[0] * link.axis;
    m.psi[0] = link.axis;
  }
  template <class S>
  static void fill_displacement(const Link<S>& link, const S*, const S* d,
                                JointDisplacement<S>& x) {
    x.shift = d[0] * link.axis;
  }
  template <class S, class Equations>
  static void hold(const LoopJoint<S>& loop, Equations&& hold) {
    hold.along(loop.side1);
    hold.along(loop.side2);
    hold.rotation();
  }
  template <class S>
  static void fill_coordinates(const LoopJoint<S>& loop, const RelativePose<S>& x, const int*,
                               S* q) {
    q[0] = dot(loop.shape.axis, x.p);
  }
  template <class S>
  static void fill_speeds(const LoopJoint<S>& loop, const LoopSpeedWriter<S>& speeds) {
    speeds.slide_along_P(0, loop.shape.axis);
  }
};

}  // namespace cartan::mechanics
