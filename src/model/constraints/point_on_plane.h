// point-on-plane: a point of a body stays in a plane of another (a pin in a slot, a foot on ice).
#pragma once

#include "model/plane.h"

namespace cartan::model {

struct PointOnPlaneConstraint {
  static constexpr const char* type = "point-on-plane";
  static constexpr ElementKey keys[] = {{"body"}, {"at"}, {.key = "plane", .world = "body"}};

  int body = 0;
  Formula at;
  Plane plane;

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.body("body", body);
    out.numbers("at", at);
    plane.write(out);
  }

  static PointOnPlaneConstraint check(auto& check, const ConstraintText& text, const auto& owner) {
    PointOnPlaneConstraint pin;
    pin.body = check.body(text.body, {"body", owner}, false);
    pin.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
    pin.plane = Plane::check(check, text, owner);
    refuse_same_body(check, pin.body, pin.plane.body, owner);
    return pin;
  }
};

}  // namespace cartan::model
