// The list of joint types, in the order of JointType.
#pragma once

#include "mechanics/joints/cylindrical.h"
#include "mechanics/joints/ellipsoidal.h"
#include "mechanics/joints/fixed.h"
#include "mechanics/joints/free.h"
#include "mechanics/joints/planar.h"
#include "mechanics/joints/prismatic.h"
#include "mechanics/joints/revolute.h"
#include "mechanics/joints/screw.h"
#include "mechanics/joints/spherical.h"
#include "mechanics/joints/translation.h"
#include "mechanics/joints/universal.h"

namespace cartan::mechanics {

template <JointLaw... J>
struct JointLaws {
  static constexpr int count = sizeof...(J);
  static constexpr bool in_order() {
    int k = 0;
    return ((static_cast<int>(J::type) == k++) && ...);
  }
};
using AllJoints = JointLaws<FixedJoint, RevoluteJoint, PrismaticJoint, ScrewJoint, CylindricalJoint,
                            UniversalJoint, PlanarJoint, SphericalJoint, TranslationJoint,
                            FreeJoint, EllipsoidalJoint>;
static_assert(AllJoints::count == joint_type_count && AllJoints::in_order(),
              "every row of model/joint_types.h has its file here");

// f(law) for the joint type, as a switch.
template <class F, class J, class... Others>
constexpr decltype(auto) visit_joint(JointType type, F&& f, JointLaws<J, Others...>) {
  if constexpr (sizeof...(Others) == 0) {
    return f(J());
  } else {
    if (type == J::type) return f(J());
    return visit_joint(type, std::forward<F>(f), JointLaws<Others...>());
  }
}
template <class F>
constexpr decltype(auto) visit_joint(JointType type, F&& f) {
  return visit_joint(type, std::forward<F>(f), AllJoints());
}

}  // namespace cartan::mechanics
