// fixed: C is P.
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct FixedJoint : PlainJoint {
  static constexpr JointType type = JointType::fixed;
  static constexpr Motion motion_kind = Motion::weld;
  static constexpr bool has_constant_columns(bool) { return true; }

  template <class S>
  static void fill_motion(const Link<S>&, const S*, const S*, JointMotion<S>&) {}
  template <class S>
  static void fill_displacement(const Link<S>&, const S*, const S*, JointDisplacement<S>&) {}
  template <class S, class Equations>
  static void hold(const LoopJoint<S>&, Equations&& hold) {
    hold.origin();
    hold.rotation();
  }
  template <class S>
  static void fill_coordinates(const LoopJoint<S>&, const RelativePose<S>&, const int*, S*) {}
  template <class S>
  static void fill_speeds(const LoopJoint<S>&, const LoopSpeedWriter<S>&) {}
};

}  // namespace cartan::mechanics
