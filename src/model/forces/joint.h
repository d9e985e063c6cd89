// joint: generalised forces on the speeds of a joint, expressions of everything.
#pragma once

#include "model/joint_types.h"
#include "model/quantities.h"

namespace cartan::model {

struct JointForce {
  static constexpr const char* type = "joint";
  static constexpr ElementKey keys[] = {{"joint"}, {"value"}};

  int joint = 0;
  Formula value;  // nv expressions

  template <class Self, class Visit>
  static void for_each_expression(Self&& f, Visit&& visit) {
    visit(f.value);
  }

  void write(auto& out) const {
    out.joint("joint", joint);
    out.numbers("value", value);
  }

  static JointForce check(auto& check, const ForceText& text, const auto& owner) {
    JointForce force;
    force.joint = check.joint(text.joint, {"joint", owner});
    check.require(text.value, {"value", owner});
    if (force.joint == unresolved) return force;
    const JointType type = *check.names.joint_type(force.joint);
    if (is_weld(type)) {
      check.problems.error(
          text.joint.where,
          "force '" + owner.name + "': a fixed joint has no speed a force can act on");
      return force;
    }
    force.value = check.expressions(text.value, {"value", owner, {info(type).nv}},
                                    Scope::everything, force.joint);
    warn_hidden_parameters(check, text, owner);
    return force;
  }
};

}  // namespace cartan::model
