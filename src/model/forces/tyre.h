// tyre: a wheel with a linear tyre on a plane, whose side force follows the slip over a length.
#pragma once

#include "model/quantities.h"

namespace cartan::model {

struct TyreForce {
  static constexpr const char* type = "tyre";
  static constexpr ElementKey keys[] = {
      {"body"},       {"at"},    {"axis"},       {"radius"}, {"stiffness"},
      {"relaxation"}, {"trail"}, {"deflection"}, {"normal"}, {.key = "on", .world = "on"}};

  int body = 0;
  Formula at, axis, radius;  // of the wheel: its centre and axis in the body
  Formula stiffness;         // side force per slip angle
  Formula relaxation, trail;
  int deflection = -1;  // the variable that is the side deflection of the tyre
  std::string deflection_name;
  Formula normal;  // of the plane, in the body it rolls on
  int on = world;

  template <class Self, class Visit>
  static void for_each_expression(Self&&, Visit&&) {}

  void write(auto& out) const {
    out.body("body", body);
    out.numbers("at", at);
    out.numbers("axis", axis);
    out.number("radius", radius);
    out.number("stiffness", stiffness);
    out.number("relaxation", relaxation);
    out.number("trail", trail);
    out.word("deflection", deflection_name);
    out.numbers("normal", normal);
    out.body("on", on);
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
    tyre.stiffness = positive(text.stiffness, "stiffness");
    tyre.relaxation = positive(given("relaxation"), "relaxation");
    tyre.trail = or_default(check.numbers(given("trail"), {"trail", owner, {1}}).formula, {0});
    const auto normal = check.numbers(given("normal"), {"normal", owner, {3}});
    check.demand_direction(normal, {"normal", owner});
    tyre.normal = or_default(normal.formula, {0, 0, 1});
    if (!text.on.empty()) tyre.on = check.body(text.on, {"on", owner}, true);
    warn_same_body(check, tyre.body, tyre.on, owner);
    tyre.find_deflection(check, text, owner);
    return tyre;
  }

 private:
  void find_deflection(auto& check, const ForceText& text, const auto& owner) {
    const std::string expected =
        "; expected deflection = \"NAME\", with NAME = { initial = 0 } in [variables]: its rate "
        "comes from the tyre";
    const auto complain = [&](const Location& where, const std::string& problem) {
      check.problems.error(where, problem + expected);
    };
    if (text.deflection.empty())
      return complain(owner.where, "missing key 'deflection' of force '" + owner.name + "'");
    deflection_name = text.deflection.name;
    const auto& variables = check.text.variables;
    for (std::size_t k = 0; k < variables.size(); ++k)
      if (variables[k].name == deflection_name) deflection = static_cast<int>(k);
    if (deflection < 0)
      complain(text.deflection.where, "there is no variable '" + deflection_name + "'");
    else if (variables[deflection].rate)
      complain(text.deflection.where, "the variable '" + deflection_name + "' has its own rate");
    else if (count_owners(check.text.forces) > 1)
      complain(text.deflection.where, "two tyres share the variable '" + deflection_name + "'");
  }
  int count_owners(const auto& forces) const {
    int count = 0;
    for (const auto& force : forces) count += force.deflection.name == deflection_name;
    return count;
  }
};

}  // namespace cartan::model
