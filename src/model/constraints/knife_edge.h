// knife-edge: a point of a body does not move along a direction fixed in it (a skate).
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct KnifeEdgeConstraint {
  static constexpr const char* type = "knife-edge";
  static constexpr ElementKey keys[] = {{"body"}, {"at"}, {"normal"}, {.key = "on", .world = "on"}};

  int body = 0;
  Formula at, normal;
  int on = world;

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.body("body", body);
    out.numbers("at", at);
    out.numbers("normal", normal);
    out.body("on", on);
  }

  static KnifeEdgeConstraint check(auto& check, const ConstraintText& text, const auto& owner) {
    KnifeEdgeConstraint edge;
    edge.body = check.body(text.body, {"body", owner}, false);
    edge.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
    edge.normal = require_direction(check, text.normal, {"normal", owner, {3}});
    if (!text.on.empty()) edge.on = check.body(text.on, {"on", owner}, true);
    refuse_same_body(check, edge.body, edge.on, owner);
    return edge;
  }
};

}  // namespace cartan::model
