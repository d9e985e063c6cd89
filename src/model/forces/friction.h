// friction: dry, viscous and quadratic friction in a joint, with loads of its bearings.
#pragma once

#include "model/joint_types.h"
#include "model/quantities.h"

namespace cartan::model {

struct Bearing {
  Formula at;             // 3, joint frame C
  Formula radial, axial;  // given or not
};

struct FrictionForce {
  static constexpr const char* type = "friction";
  static constexpr ElementKey keys[] = {{"joint"}, {"coulomb"},   {"viscous"}, {"quadratic"},
                                        {"load"},  {"smoothing"}, {"bearings"}};

  int joint = 0;
  Formula coulomb, viscous, quadratic;  // one number per speed (a ball: one)
  Formula load;                         // given: an expression of everything, added to coulomb
  Formula smoothing;                    // given: smoothed sign
  std::vector<Bearing> bearings;

  template <class Self, class Visit>
  static void for_each_expression(Self&& f, Visit&& visit) {
    visit(f.load);
  }

  void write(auto& out) const {
    out.joint("joint", joint);
    out.numbers("coulomb", coulomb);
    out.numbers("viscous", viscous);
    out.numbers("quadratic", quadratic);
    out.number("smoothing", smoothing);
    out.list("bearings", bearings, [](const Bearing& b, auto& one) {
      one.numbers("at", b.at);
      one.number("radial", b.radial);
      one.number("axial", b.axial);
    });
    if (load.given()) out.number("load", load);
  }

  // model/check/check_friction.cpp
  static FrictionForce check(auto& check, const ForceText& text, const auto& owner) {
    return check_friction(check, text, owner);
  }
};

}  // namespace cartan::model
