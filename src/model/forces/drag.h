// drag: resistance of a medium, or of a body it moves on, to a point.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct DragForce {
  static constexpr const char* type = "drag";
  static constexpr ElementKey keys[] = {{"body"}, {"at"}, {"coefficient"}, {"medium"}, {"on"}};

  int body = 0;
  Formula at, coefficient;
  Formula medium;  // 3 expressions (world velocity); not given: zero
  int on = world;  // body the velocity is taken relative to

  template <class Self, class Visit>
  static void for_each_expression(Self&& f, Visit&& visit) {
    visit(f.medium);
  }

  void write(auto& out) const {
    out.body("body", body);
    out.numbers("at", at);
    out.number("coefficient", coefficient);
    out.body("on", on);
    if (medium.given()) out.numbers("medium", medium);
  }

  static DragForce check(auto& check, const ForceText& text, const auto& owner) {
    DragForce drag;
    drag.body = check.body(text.body, {"body", owner}, false);
    drag.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
    check.require(text.coefficient, {"coefficient", owner});
    const auto coefficient = check.number(text.coefficient, {"coefficient", owner});
    check.warn_negative(coefficient, {"coefficient", owner});
    drag.coefficient = coefficient.formula;
    drag.medium = check.expressions(text.medium, {"medium", owner, {3}}, Scope::everything);
    if (!text.on.empty()) drag.on = check.body(text.on, {"on", owner}, true);
    if (!text.on.empty() && present(text.medium))
      check.problems.error(
          text.medium.where,
          "force '" + owner.name + "' has both 'medium' and 'on'; expected one or the other");
    return drag;
  }
};

}  // namespace cartan::model
