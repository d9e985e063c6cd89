// A plane of a body, as a constraint names it: { point, normal, body }.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct Plane {
  int body = world;
  Formula point, normal;

  void write(auto& out) const {
    out.table("plane", [this](auto& plane) {
      plane.body("body", body);
      plane.numbers("point", point);
      plane.numbers("normal", normal);
    });
  }

  static Plane check(auto& check, const ConstraintText& text, const auto& owner) {
    Plane plane;
    plane.point =
        or_default(check.numbers(text.plane_point, {"plane point", owner, {3}}).formula, {0, 0, 0});
    if (text.plane_where.line == 0 && text.plane_normal.empty()) {
      check.require(Values{}, {"plane", owner});
    } else {
      auto here = owner;
      here.where = text.plane_where;
      plane.normal = require_direction(check, text.plane_normal, {"plane normal", here, {3}});
    }
    if (!text.plane_body.empty())
      plane.body = check.body(text.plane_body, {"plane body", owner}, true);
    return plane;
  }
};

}  // namespace cartan::model
