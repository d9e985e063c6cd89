// distance: two points stay a length apart.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct DistanceConstraint {
  static constexpr const char* type = "distance";
  static constexpr ElementKey keys[] = {{"from"}, {"to"}, {"length"}};

  Placement from, to;
  Formula length;

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.place("from", from);
    out.place("to", to);
    out.number("length", length);
  }

  static DistanceConstraint check(auto& check, const ConstraintText& text, const auto& owner) {
    DistanceConstraint distance;
    distance.from = check.placement(text.from, {"from", owner});
    distance.to = check.placement(text.to, {"to", owner});
    refuse_same_body(check, distance.from.body, distance.to.body, owner);
    check.require(text.length, {"length", owner});
    const auto length = check.number(text.length, {"length", owner});
    check.demand(length, {"length", owner},
                 "positive (two points that coincide need a spherical joint)",
                 [](double x) { return x > 0; });
    distance.length = length.formula;
    return distance;
  }
};

}  // namespace cartan::model
