#include <algorithm>
#include <cmath>

#include "model/check/check_context.h"

namespace cartan {
namespace {

bool has_rotation(JointType type) {
  return type == JointType::spherical || type == JointType::free;
}

bool has_axis(JointType type) {
  return type == JointType::revolute || type == JointType::prismatic || type == JointType::screw ||
         type == JointType::cylindrical || type == JointType::planar;
}

void check_universal_axes(CheckContext& check, const JointText& text, const Owner& owner,
                          Joint& joint) {
  const Field field{"axes", owner, {3}};
  if (text.axes.size() != 2) {
    if (text.axes_where.line > 0) return;
    check.problems.error(owner.where, "missing key 'axes' of joint '" + owner.name +
                                          "'; expected [[x, y, z], [x, y, z]]");
    return;
  }
  const Checked first = check.numbers(text.axes[0], field),
                second = check.numbers(text.axes[1], field);
  check.demand_direction(first, field);
  check.demand_direction(second, field);
  Values both = text.axes[0];
  both.insert(both.end(), text.axes[1].begin(), text.axes[1].end());
  both.where = text.axes_where;
  if (!first.ok() || !second.ok()) return;
  joint.axes = check.formulas.compile(both, Scope::numbers);
  const Vec3<double> a{first.values[0], first.values[1], first.values[2]};
  const Vec3<double> b{second.values[0], second.values[1], second.values[2]};
  const double lengths = norm(a) * norm(b);
  if (lengths > 0 && norm(cross(a, b)) <= 1e-9 * lengths)
    check.problems.error(joint.axes.where, "the axes of joint '" + owner.name +
                                               "' are parallel; expected two different directions");
}

void check_axes(CheckContext& check, const JointText& text, const Owner& owner, Joint& joint) {
  if (joint.type == JointType::universal) check_universal_axes(check, text, owner, joint);
  if (has_axis(joint.type)) {
    const Field field{joint.type == JointType::planar ? "normal" : "axis", owner, {3}};
    check.require(text.axis, field);
    const Checked axis = check.numbers(text.axis, field);
    check.demand_direction(axis, field);
    joint.axes = axis.formula;
  }
  if (joint.type == JointType::screw) {
    const Field field{"pitch", owner};
    check.require(text.pitch, field);
    joint.pitch = check.number(text.pitch, field).formula;
  }
}

Formula zeros(int count) {
  Formula formula;
  const std::vector<double> values(count, 0.0);
  formula.program = constant_program(values);
  formula.texts.assign(count, "0");
  return formula;
}

void check_initial_state(CheckContext& check, const JointText& text, const Owner& owner,
                         Joint& joint) {
  const int nv = joint.nv();
  if (nv == 0) return;
  joint.position_given = text.position.given;
  joint.velocity_given = text.velocity_given || !text.velocity.empty();
  if (has_rotation(joint.type))
    joint.rotation = check.rotation(text.position.rotation, {"position", owner});
  if (joint.type == JointType::free)
    joint.coordinates = check.numbers(text.position.at, {"position at", owner, {3}}).formula;
  else if (!has_rotation(joint.type))
    joint.coordinates = check.numbers(text.position.coordinates, {"position", owner, {nv}}).formula;
  if (!joint.coordinates.given() && joint.type != JointType::spherical)
    joint.coordinates = zeros(joint.type == JointType::free ? 3 : nv);
  joint.velocity = check.numbers(text.velocity, {"velocity", owner, {nv}}).formula;
  if (!joint.velocity.given()) joint.velocity = zeros(nv);
}

// The inertia of a motor's rotor, seen from the joint.
void check_rotor(CheckContext& check, const JointText& text, const Owner& owner, Joint& joint) {
  if (text.inertia.empty()) return;
  const Location place = text.inertia.where.line > 0 ? text.inertia.where : owner.where;
  if (joint.nv() == 0 || has_rotation(joint.type)) {
    check.problems.error(place,
                         "a rotor turns with a coordinate of its joint, and a " +
                             std::string(info(joint.type).name) + " joint has none" +
                             (joint.nv() == 0 ? "" : " that is a plain number") +
                             "; put the inertia into a body, or build the joint of revolute ones");
    return;
  }
  const Field field{"inertia", owner, {joint.nv()}};
  const Checked inertia = check.numbers(text.inertia, field);
  check.demand(inertia, field, "zero or positive", [](double x) { return x >= 0; });
  joint.inertia = inertia.formula;
}

std::optional<JointType> check_type(CheckContext& check, const JointText& text) {
  const std::optional<JointType> type = joint_type_from_name(text.type);
  if (type) return type;
  if (text.type.empty()) {
    if (text.type_where.line == 0)
      check.problems.error(text.where, "missing key 'type' of joint '" + text.name + "'");
    return type;
  }
  std::vector<std::string> known;
  for (int k = 0; k < joint_type_count; ++k) known.push_back(info(static_cast<JointType>(k)).name);
  check.problems.error(text.type_where,
                       "unknown joint type '" + text.type + "'" + check.suggest(text.type, known));
  return type;
}

}  // namespace

void check_joints(CheckContext& check) {
  for (const JointText& text : check.text.joints) {
    const Owner owner{"joint", text.name, text.where};
    const std::optional<JointType> type = check_type(check, text);
    Joint joint;
    joint.name = text.name;
    joint.where = text.where;
    joint.parent = check.placement(text.parent, {"parent", owner});
    joint.child = check.placement(text.child, {"child", owner});
    if (joint.parent.body == joint.child.body && joint.parent.body != unresolved)
      check.problems.error(text.child.where.line > 0 ? text.child.where : text.where,
                           "both sides of joint '" + text.name + "' are on " +
                               (joint.parent.body == world ? "the world" : "the same body") +
                               "; expected two different bodies");
    if (type) {
      joint.type = *type;
      check_axes(check, text, owner, joint);
      check_initial_state(check, text, owner, joint);
      check_rotor(check, text, owner, joint);
    }
    check.model.joints.push_back(std::move(joint));
  }
}

}  // namespace cartan
