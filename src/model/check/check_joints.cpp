#include <algorithm>
#include <cmath>

#include "model/check/check_context.h"

namespace cartan::model {
namespace {

void check_two_axes(CheckContext& check, const JointText& text, const Owner& owner, Joint& joint) {
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
  const DirectionKey key = info(joint.type).keys.directions;
  if (key == DirectionKey::none) return;
  if (key == DirectionKey::axes) return check_two_axes(check, text, owner, joint);
  const Field field{key == DirectionKey::normal ? "normal" : "axis", owner, {3}};
  check.require(text.axis, field);
  const Checked axis = check.numbers(text.axis, field);
  check.demand_direction(axis, field);
  joint.axes = axis.formula;
}

void check_size(CheckContext& check, const JointText& text, const Owner& owner, Joint& joint) {
  const JointSize& size = info(joint.type).keys.size;
  if (!size.key) return;
  const auto written = text.sizes.find(size.key);
  const Values values = written == text.sizes.end() ? Values() : written->second;
  const Field field{size.key, owner, {size.count}};
  check.require(values, field);
  const Checked numbers = check.numbers(values, field);
  if (!size.may_be_negative)
    check.demand(numbers, field, "at least 0", [](double x) { return x >= 0; });
  joint.sizes = numbers.formula;
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
  const int plain = plain_count(joint.type);
  if (!has_quaternion(joint.type)) {
    joint.coordinates = check.numbers(text.position.coordinates, {"position", owner, {nv}}).formula;
  } else {
    joint.rotation = check.rotation(text.position.rotation, {"position", owner});
    if (plain > 0)
      joint.coordinates = check.numbers(text.position.at, {"position at", owner, {plain}}).formula;
  }
  if (!joint.coordinates.given() && plain > 0) joint.coordinates = zeros(plain);
  joint.velocity = check.numbers(text.velocity, {"velocity", owner, {nv}}).formula;
  if (!joint.velocity.given()) joint.velocity = zeros(nv);
}

// The inertia of a motor's rotor, seen from the joint.
void check_rotor(CheckContext& check, const JointText& text, const Owner& owner, Joint& joint) {
  if (text.inertia.empty()) return;
  const Location place = text.inertia.where.line > 0 ? text.inertia.where : owner.where;
  const bool ball = is_ball(joint.type);
  if (joint.nv() == 0 || (has_quaternion(joint.type) && !ball)) {
    check.problems.error(place,
                         "a rotor turns with a coordinate of its joint, and a " +
                             std::string(info(joint.type).name) + " joint has none" +
                             (joint.nv() == 0 ? "" : " that is a plain number") +
                             "; put the inertia into a body, or build the joint of revolute ones");
    return;
  }
  const Field field{"inertia", owner, {ball ? 1 : joint.nv()}};
  const Checked inertia = check.numbers(text.inertia, field);
  check.demand(inertia, field, "zero or positive", [](double x) { return x >= 0; });
  joint.inertia = inertia.formula;
  if (!ball || !inertia.formula.given()) return;
  // Of a ball one number for all directions. Only then T = a |w|^2 / 2 with w in the axes of the
  // child adds a w' and nothing else to the equations: w x (a w) = 0.
  joint.inertia =
      check.formulas.compile({text.inertia[0], text.inertia[0], text.inertia[0]}, Scope::numbers);
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
  for (const JointTypeInfo& row : all_joint_types()) known.push_back(row.name);
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
      check_size(check, text, owner, joint);
      check_initial_state(check, text, owner, joint);
      check_rotor(check, text, owner, joint);
    }
    check.model.joints.push_back(std::move(joint));
  }
}

}  // namespace cartan::model
