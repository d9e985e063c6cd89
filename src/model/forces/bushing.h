// bushing: springs and dampers in all six directions between two frames.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct BushingForce {
  static constexpr const char* type = "bushing";
  static constexpr ElementKey keys[] = {{"from", true}, {"to", true}, {"stiffness"}, {"damping"}};

  Placement from, to;
  Formula stiffness, damping;  // 6: along x, y, z and about x, y, z of `from`

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.place("from", from);
    out.place("to", to);
    out.numbers("stiffness", stiffness);
    out.numbers("damping", damping);
  }

  static BushingForce check(auto& check, const ForceText& text, const auto& owner) {
    BushingForce bushing;
    bushing.from = check.placement(text.from, {"from", owner});
    bushing.to = check.placement(text.to, {"to", owner});
    warn_same_body(check, bushing.from.body, bushing.to.body, owner);
    require_any(check, present(text.stiffness) || present(text.damping), owner,
                "stiffness or damping");
    const auto six = [&](const Values& values, const char* key) {
      const auto numbers = check.numbers(values, {key, owner, {6}});
      check.warn_negative(numbers, {key, owner});
      return or_default(numbers.formula, {0, 0, 0, 0, 0, 0});
    };
    bushing.stiffness = six(text.stiffness, "stiffness");
    bushing.damping = six(text.damping, "damping");
    return bushing;
  }
};

}  // namespace cartan::model
