// The numbers of `friction`. Its law needs loads and knows which joints stick: dry_friction.h.
#pragma once

#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct BearingRow {
  Vec3<S> force[3], torque[3];
  int rows = 0;
  S factor{};
};

template <class S>
struct Friction {
  int joint = 0;                               // in the model
  int link = 0;                                // -1 for a loop joint
  bool rotation = false;                       // a ball: acts along -w/|w|
  std::vector<S> coulomb, viscous, quadratic;  // per component (a ball: one)
  const Formula* load = nullptr;               // its value, if positive, is added to coulomb
  bool smooth = false;
  S smoothing{};
  int mode0 = -1;  // first entry of the discrete state when exact
  int load0 = -1;  // index among the friction elements with bearings
  // Load of bearing group k: components row . (constraint force, torque at C) in joint axes; its
  // norm times factor is added to every coulomb entry.
  std::vector<BearingRow<S>> bearings;
  int components() const { return static_cast<int>(coulomb.size()); }

  static Friction make(const FrictionForce& f, const auto& build) {
    auto& mechanism = build.mechanism;
    mechanism.has_friction = true;
    Friction e;
    e.joint = build.joint(f.joint);
    e.link = mechanism.link_of_joint[f.joint];
    mechanism.loop_friction |= e.link < 0;
    const Joint& joint = build.model().joints[f.joint];
    e.rotation = is_ball(joint.type);
    const int components = e.rotation ? 1 : joint.nv();
    e.coulomb = build.numbers(f.coulomb, components);
    e.viscous = build.numbers(f.viscous, components);
    e.quadratic = build.numbers(f.quadratic, components);
    e.load = build.given(f.load);
    e.smooth = f.smoothing.given();
    e.smoothing = build.number(f.smoothing, 1);
    if (!e.smooth) {
      e.mode0 = mechanism.friction_modes;
      mechanism.friction_modes += components;
    }
    if (!f.bearings.empty()) {
      e.load0 = mechanism.bearing_count++;
      e.bearings = build.bearings(f, joint);
    }
    return e;
  }

  ElementEnergy<S> apply(const Mechanism<S>&, MotionWorkspace<S>&) const { return {}; }
  S potential(const Mechanism<S>&, MotionWorkspace<S>&) const { return S(0); }
  bool does_work() const { return true; }
  bool uses_speeds() const { return true; }
  int measured_joint() const { return -1; }
  // Bearings read the reactions, and with them everything.
  void list_reach(auto& reach) const {
    if (!bearings.empty()) reach.leave_to_dual_numbers();
    reach.read(load);
    reach.act_in(joint);
  }

  void list_wrenches(auto& out) const {
    out.clear();
    add_friction_alone(out.mechanism(), out.ws(), out.element());
    out.add_joint(joint);
  }
};

template <class S>
struct ElementOf<FrictionForce, S> : std::type_identity<Friction<S>> {};

}  // namespace cartan::mechanics
