// The law of `joint`: tau = value.
#pragma once

#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct JointElement {
  int joint = 0;
  const Formula* value = nullptr;

  static JointElement make(const JointForce& f, const auto& build) {
    return {build.joint(f.joint), &f.value};
  }

  ElementEnergy<S> apply(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    const auto at = coordinates_of(mechanism, ws, joint);
    S tau[6];
    evaluate_program(mechanism, ws, value->program, tau);
    ElementEnergy<S> energy;
    for (int i = 0; i < at.joint.nv; ++i) {
      at.tau[i] += tau[i];
      energy.power += tau[i] * at.v[i];
    }
    return energy;
  }
  S potential(const Mechanism<S>&, MotionWorkspace<S>&) const { return S(0); }
  bool does_work() const { return true; }
  bool uses_speeds() const { return depends_on_speeds(value); }
  int measured_joint() const { return -1; }
  void list_reach(auto& reach) const {
    reach.read(value);
    reach.act_in(joint);
  }

  void list_wrenches(auto& out) const { out.add_alone(*this, joint); }
};

template <class S>
struct ElementOf<JointForce, S> : std::type_identity<JointElement<S>> {};

}  // namespace cartan::mechanics
