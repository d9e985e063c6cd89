#include <algorithm>

#include "model/check/check_elements.h"
#include "model/check/check_friction.h"
#include "model/type_names.h"

namespace cartan {
namespace {

using ForceLaw = decltype(Force::law);

bool not_negative(double x) {
  return x >= 0;
}

ForceLaw check_spring(CheckContext& check, const ForceText& text, const Owner& owner) {
  SpringForce spring;
  spring.from = check.placement(text.from, {"from", owner});
  spring.to = check.placement(text.to, {"to", owner});
  if (spring.from.body == spring.to.body && spring.from.body != unresolved)
    check.problems.warning(text.where,
                           "both ends of force '" + owner.name + "' are on the same body");
  require_any(check, present(text.stiffness) || present(text.damping), owner,
              "stiffness or damping");
  spring.stiffness = coefficients(check, text.stiffness, {"stiffness", owner}, 1);
  spring.damping = coefficients(check, text.damping, {"damping", owner}, 1);
  const Field length_field{"length", owner};
  const Checked length = check.number(text.length, length_field);
  check.demand(length, length_field, "at least 0", not_negative);
  spring.length = or_default(length.formula, {0});
  return spring;
}

void check_torsion_rest(CheckContext& check, const ForceText& text, const Owner& owner,
                        JointType type, TorsionForce& torsion) {
  const int nv = info(type).nv;
  if (is_ball(type)) {
    torsion.rest_rotation = check.rotation(text.rest_rotation, {"rest", owner});
    if (!text.rest.empty())
      check.problems.error(text.rest.where, "rest of force '" + owner.name + "' on a " +
                                                info(type).name +
                                                " joint is a rotation; expected { axis = [..], "
                                                "angle = .. }, { quaternion = [..] } or "
                                                "{ rpy = [..] }");
    return;
  }
  if (text.rest_rotation.kind != RotationText::Kind::none)
    check.problems.error(text.rest_rotation.where,
                         "rest of force '" + owner.name + "' must have " + std::to_string(nv) +
                             (nv == 1 ? " number" : " numbers") + ", got a rotation");
  torsion.rest = spread_numbers(check, text.rest, {"rest", owner}, nv, false);
}

void check_measure(CheckContext& check, const ForceText& text, JointType type,
                   TorsionForce& torsion) {
  if (text.measure.empty()) return;
  if (!is_ball(type))
    check.problems.error(text.measure_where, "'measure' belongs to torsion of spherical joints");
  const auto found = std::find(torsion_measures.begin(), torsion_measures.end(), text.measure);
  if (found == torsion_measures.end())
    check.problems.error(text.measure_where, "unknown measure '" + text.measure + "'" +
                                                 check.suggest(text.measure, torsion_measures));
  else
    torsion.measure = static_cast<TorsionMeasure>(found - torsion_measures.begin());
}

ForceLaw check_torsion(CheckContext& check, const ForceText& text, const Owner& owner) {
  TorsionForce torsion;
  torsion.joint = check.joint(text.joint, {"joint", owner});
  require_any(check, present(text.stiffness) || present(text.damping), owner,
              "stiffness or damping");
  if (torsion.joint == unresolved) return torsion;
  const JointType type = *check.names.joint_type(torsion.joint);
  if (!is_ball(type) && !plain_coordinates(type)) {
    check.problems.error(text.joint.where,
                         "force '" + owner.name + "': a " + info(type).name +
                             " joint has no coordinate a torsion spring can act on; "
                             "expected a spherical joint or one with plain coordinates");
    return torsion;
  }
  torsion.stiffness = coefficients(check, text.stiffness, {"stiffness", owner}, info(type).nv);
  torsion.damping = coefficients(check, text.damping, {"damping", owner}, info(type).nv);
  check_torsion_rest(check, text, owner, type, torsion);
  check_measure(check, text, type, torsion);
  return torsion;
}

ForceLaw check_wrench(CheckContext& check, const ForceText& text, const Owner& owner) {
  WrenchForce wrench;
  wrench.body = check.body(text.body, {"body", owner}, false);
  wrench.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
  require_any(check, present(text.force) || present(text.torque), owner, "force or torque");
  wrench.force = or_default(check.expressions(text.force, {"force", owner, {3}}, Scope::everything),
                            {0, 0, 0});
  wrench.torque = or_default(
      check.expressions(text.torque, {"torque", owner, {3}}, Scope::everything), {0, 0, 0});
  if (text.frame.name == "body")
    wrench.frame = wrench.body;
  else if (!text.frame.empty())
    wrench.frame = check.body(text.frame, {"frame", owner}, true);
  return wrench;
}

void warn_hidden_parameters(CheckContext& check, const ForceText& text, const Owner& owner) {
  for (const Value& value : text.value) {
    ExpressionError ignored;
    for (const std::string& name :
         names_in(parse_expression(value.text, ignored, &check.names.functions())))
      if ((name == "q" || name == "v") && check.names.find_parameter(name) >= 0)
        check.problems.warning(
            value.where, "in the value of force '" + owner.name + "', " + name +
                             " is the joint's coordinate and hides the parameter '" + name + "'");
  }
}

ForceLaw check_joint_force(CheckContext& check, const ForceText& text, const Owner& owner) {
  JointForce force;
  force.joint = check.joint(text.joint, {"joint", owner});
  check.require(text.value, {"value", owner});
  if (force.joint == unresolved) return force;
  const JointType type = *check.names.joint_type(force.joint);
  if (is_weld(type)) {
    check.problems.error(text.joint.where, "force '" + owner.name +
                                               "': a fixed joint has no speed a force can act on");
    return force;
  }
  force.value = check.expressions(text.value, {"value", owner, {info(type).nv}}, Scope::everything,
                                  force.joint);
  warn_hidden_parameters(check, text, owner);
  return force;
}

ForceLaw check_potential(CheckContext& check, const ForceText& text, const Owner& owner) {
  check.require(text.value, {"value", owner});
  return PotentialForce{check.expressions(text.value, {"value", owner}, Scope::positions)};
}

ForceLaw check_drag(CheckContext& check, const ForceText& text, const Owner& owner) {
  DragForce drag;
  drag.body = check.body(text.body, {"body", owner}, false);
  drag.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
  const Field field{"coefficient", owner};
  check.require(text.coefficient, field);
  const Checked coefficient = check.number(text.coefficient, field);
  check.warn_negative(coefficient, field);
  drag.coefficient = coefficient.formula;
  drag.medium = check.expressions(text.medium, {"medium", owner, {3}}, Scope::everything);
  if (!text.on.empty()) drag.on = check.body(text.on, {"on", owner}, true);
  if (!text.on.empty() && present(text.medium))
    check.problems.error(
        text.medium.where,
        "force '" + owner.name + "' has both 'medium' and 'on'; expected one or the other");
  return drag;
}

using CheckForce = ForceLaw (*)(CheckContext&, const ForceText&, const Owner&);
const std::unordered_map<std::string, CheckForce> force_checks = {
    {"spring", check_spring},
    {"torsion", check_torsion},
    {"wrench", check_wrench},
    {"joint", check_joint_force},
    {"potential", check_potential},
    {"drag", check_drag},
    {"friction", [](CheckContext& check, const ForceText& text, const Owner& owner) -> ForceLaw {
       return check_friction(check, text, owner);
     }}};

}  // namespace

void check_forces(CheckContext& check) {
  const std::vector<std::string> names = element_names(check.text.forces);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ForceText& text = check.text.forces[i];
    const Owner owner{"force", names[i], text.where};
    Force force;
    force.name = names[i];
    force.where = text.where;
    if (check_element_type(check, text, owner, force_types))
      force.law = force_checks.at(text.type)(check, text, owner);
    check.model.forces.push_back(std::move(force));
  }
}

}  // namespace cartan
