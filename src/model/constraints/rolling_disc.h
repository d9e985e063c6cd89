// rolling-disc: a wheel touches a plane and does not slip. Its rim is sharp or, with `rim`, round:
// a torus whose tube has that radius; `radius` is that of the wheel when it stands upright.
#pragma once

#include "model/plane.h"

namespace cartan::model {

struct RollingDiscConstraint {
  static constexpr const char* type = "rolling-disc";
  static constexpr ElementKey keys[] = {{"body"},   {"center"}, {"axis"},
                                        {"radius"}, {"rim"},    {.key = "plane", .world = "body"}};

  int body = 0;
  Formula center, axis, radius, rim;
  Plane plane;

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.body("body", body);
    out.numbers("center", center);
    out.numbers("axis", axis);
    out.number("radius", radius);
    out.number("rim", rim);
    plane.write(out);
  }

  static RollingDiscConstraint check(auto& check, const ConstraintText& text, const auto& owner) {
    RollingDiscConstraint disc;
    disc.body = check.body(text.body, {"body", owner}, false);
    disc.center = or_default(check.numbers(text.center, {"center", owner, {3}}).formula, {0, 0, 0});
    disc.axis = require_direction(check, text.axis, {"axis", owner, {3}});
    check.require(text.radius, {"radius", owner});
    const auto radius = check.number(text.radius, {"radius", owner});
    check.demand_positive(radius, {"radius", owner});
    disc.radius = radius.formula;
    const auto rim = check.number(text.rim, {"rim", owner});
    check.demand(rim, {"rim", owner}, "from zero to less than the radius",
                 [&](double x) { return x >= 0 && !(radius.ok() && x >= radius.values[0]); });
    disc.rim = or_default(rim.formula, {0});
    disc.plane = Plane::check(check, text, owner);
    refuse_same_body(check, disc.body, disc.plane.body, owner);
    return disc;
  }
};

}  // namespace cartan::model
