// spring: a spring and damper between two points, along their line.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct SpringForce {
  static constexpr const char* type = "spring";
  static constexpr ElementKey keys[] = {{"from"}, {"to"}, {"length"}, {"stiffness"}, {"damping"}};

  Placement from, to;
  Formula stiffness, damping, length;

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.place("from", from);
    out.place("to", to);
    out.number("stiffness", stiffness);
    out.number("damping", damping);
    out.number("length", length);
  }

  static SpringForce check(auto& check, const ForceText& text, const auto& owner) {
    SpringForce spring;
    spring.from = check.placement(text.from, {"from", owner});
    spring.to = check.placement(text.to, {"to", owner});
    warn_same_body(check, spring.from.body, spring.to.body, owner);
    require_any(check, present(text.stiffness) || present(text.damping), owner,
                "stiffness or damping");
    spring.stiffness = coefficients(check, text.stiffness, {"stiffness", owner}, 1);
    spring.damping = coefficients(check, text.damping, {"damping", owner}, 1);
    const auto length = check.number(text.length, {"length", owner});
    check.demand(length, {"length", owner}, "at least 0", [](double x) { return x >= 0; });
    spring.length = or_default(length.formula, {0});
    return spring;
  }
};

}  // namespace cartan::model
