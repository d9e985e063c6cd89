// [speeds]: speeds of the user's choice, as many as the joints of the tree have, each linear in
// these. That they are linear and independent is seen where equations are derived
// (codegen/derivation/derivation_speeds.cpp); here is what the text alone tells.
#include <algorithm>

#include "model/check/check_context.h"

namespace cartan::model {
namespace {

constexpr Quantity speeds_of_things[] = {Quantity::joint_v, Quantity::body_velocity,
                                         Quantity::body_angular, Quantity::point_velocity};

// Why an expression cannot be a speed; "" where it can, as far as the text tells.
std::string refuse_speed(const CheckContext& check, const Program& program) {
  if (std::none_of(std::begin(speeds_of_things), std::end(speeds_of_things),
                   [&](Quantity quantity) { return program.depends_on(quantity); }))
    return "no speed is in it; expected a sum of speeds like \"shoulder.v + elbow.v\", each times "
           "something without speeds";
  for (const auto& [quantity, what] : {std::pair(Quantity::kinetic, "the kinetic energy"),
                                       std::pair(Quantity::potential, "the potential energy"),
                                       std::pair(Quantity::variable, "a variable")})
    if (program.depends_on(quantity))
      return std::string(what) +
             " cannot be part of a speed; expected speeds, each times something "
             "of positions, parameters and t";
  for (const Symbol& symbol : program.inputs)
    if (symbol.quantity == Quantity::joint_v &&
        std::find(check.model.loop_joints.begin(), check.model.loop_joints.end(), symbol.index) !=
            check.model.loop_joints.end())
      return "joint '" + check.model.joints[symbol.index].name +
             "' closes a loop, and its speeds follow from others; use joints of the tree";
  return "";
}

}  // namespace

void check_speeds(CheckContext& check) {
  const std::vector<NamedValue>& text = check.text.speeds;
  if (text.empty()) return;
  if (!describes_mechanism(check.text)) {
    check.problems.error(text[0].where,
                         "[speeds] are those of joints, and this file has [variables] alone; take "
                         "the section out, or write [definitions]");
    return;
  }
  int speeds = 0;
  for (const TreeJoint& joint : check.model.tree) speeds += check.model.joints[joint.joint].nv();
  for (const NamedValue& item : text) {
    ChosenSpeed speed{item.name, {}, {}};
    if (!item.value.reported) speed.value = check.formulas.compile(item.value, Scope::everything);
    if (speed.value.given() && !check.problems.has_errors())
      if (const std::string refusal = refuse_speed(check, speed.value.program); !refusal.empty())
        check.problems.error(item.where, "the speed '" + item.name + "': " + refusal);
    const Owner owner{"speed", item.name, item.where};
    speed.initial = check.number(item.initial, {"initial", owner}).formula;
    check.model.speeds.push_back(std::move(speed));
  }
  if (speeds != static_cast<int>(text.size()) && !check.problems.has_errors())
    check.problems.error(text[0].where, "there are " + std::to_string(text.size()) +
                                            " in [speeds], and the joints of the tree have " +
                                            std::to_string(speeds) +
                                            "; expected as many, so that each follows from the "
                                            "others");
}

}  // namespace cartan::model
