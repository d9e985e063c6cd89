// tyre: a wheel with a linear tyre on a plane, whose side force follows the
// slip over a length.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct TyreForce {
  static constexpr const char* type = "tyre";
  static constexpr ElementKey keys[] = {{"body"},   {"at"},         {"axis"},
                                        {"radius"}, {"normal"},     {"stiffness"},
                                        {"trail"},  {"relaxation"}, {"deflection"}};

  int body = 0;
  Formula at, axis, radius;  // of the wheel: its centre and axis in the body
  Formula normal;            // of the plane, world
  Formula stiffness;         // side force per slip angle
  Formula relaxation, trail;
  int deflection = -1;  // the variable that is the side deflection of the tyre

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.body("body", body);
    out.numbers("at", at);
    out.numbers("axis", axis);
    out.number("radius", radius);
    out.numbers("normal", normal);
    out.number("stiffness", stiffness);
    out.number("relaxation", relaxation);
    out.number("trail", trail);
  }

  static TyreForce check(auto& check, const ForceText& text, const auto& owner) {
    TyreForce tyre;
    const auto given = [&](const char* key) {
      const auto found = text.numbers.find(key);
      return found == text.numbers.end() ? Values{} : found->second;
    };
    const auto positive = [&](const Values& values, const char* key) {
      check.require(values, {key, owner});
      const auto number = check.numbers(values, {key, owner, {1}});
      check.demand_positive(number, {key, owner});
      return number.formula;
    };
    tyre.body = check.body(text.body, {"body", owner}, false);
    tyre.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
    tyre.axis = require_direction(check, given("axis"), {"axis", owner, {3}});
    tyre.radius = positive(given("radius"), "radius");
    const auto normal = check.numbers(given("normal"), {"normal", owner, {3}});
    check.demand_direction(normal, {"normal", owner});
    tyre.normal = or_default(normal.formula, {0, 0, 1});
    tyre.stiffness = positive(text.stiffness, "stiffness");
    tyre.relaxation = positive(given("relaxation"), "relaxation");
    tyre.trail = or_default(check.numbers(given("trail"), {"trail", owner, {1}}).formula, {0});
    tyre.find_deflection(check, text, owner);
    return tyre;
  }

 private:
  void find_deflection(auto& check, const ForceText& text, const auto& owner) {
    const std::vector<VariableText>& variables = check.text.variables;
    for (std::size_t k = 0; k < variables.size(); ++k)
      if (variables[k].name == text.deflection.name) deflection = static_cast<int>(k);
    const char* const expected =
        "expected deflection = \"NAME\" with NAME = { "
        "initial = 0 } in [variables], its rate comes "
        "from the tyre";
    if (text.deflection.empty())
      check.problems.error(owner.where,
                           "force '" + owner.name + "' has no 'deflection'; " + expected);
    else if (deflection < 0)
      check.problems.error(text.deflection.where,
                           "there is no variable '" + text.deflection.name + "'; " + expected);
    else if (variables[deflection].rate)
      check.problems.error(variables[deflection].where,
                           "the variable '" + text.deflection.name +
                               "' has a rate of its own, and is the deflection of tyre '" +
                               owner.name + "'; " + expected);
  }
};

}  // namespace cartan::model
