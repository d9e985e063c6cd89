// spherical: C turns about its origin, which is that of P.
//   R = R(u)      phi = 1
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct SphericalJoint : BallJoint {
  static constexpr JointType type = JointType::spherical;
  static constexpr Motion motion_kind = Motion::rotation3;
  static constexpr bool has_constant_columns(bool reversed) { return !reversed; }

  template <class S>
  static void fill_motion(const Link<S>&, const S* q, const S*, JointMotion<S>& m) {
    m.R = rotation_matrix(quaternion_at(q));
    for (int k = 0; k < 3; ++k) m.phi[k] = unit_vector<S>(k);
  }
  template <class S>
  static void fill_displacement(const Link<S>&, const S*, const S* d, JointDisplacement<S>& x) {
    x.turn = exp_quat(Vec3<S>{d[0], d[1], d[2]});
  }
  template <class S, class Equations>
  static void hold(const LoopJoint<S>&, Equations&& hold) {
    hold.origin();
  }
};

}  // namespace cartan::mechanics
