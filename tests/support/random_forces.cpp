// Force elements of random mechanisms.
#include <cstdio>

#include "support/random_parts.h"

namespace cartan::test::random_parts {
namespace {

std::string digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

const std::string& any_body(Builder& b) {
  return b.random.pick(b.model.bodies).name;
}

// A joint with nv > 0 whose type passes `fits`; -1 when there is none.
template <class F>
int any_joint(Builder& b, F&& fits) {
  std::vector<int> found;
  for (std::size_t k = 0; k < b.joint_types.size(); ++k)
    if (info(b.joint_types[k]).nv > 0 && fits(b.joint_types[k]))
      found.push_back(static_cast<int>(k));
  return found.empty() ? -1 : b.random.pick(found);
}
int any_moving_joint(Builder& b) {
  return any_joint(b, [](JointType) { return true; });
}

std::string component(const std::string& name, int size, int which) {
  return size == 1 ? name : name + "[" + std::to_string(which) + "]";
}

enum class Names { positions, everything };

// One name that an expression may use.
std::string any_name(Builder& b, Names names) {
  static const std::vector<std::string> place = {".x", ".y", ".z"}, linear = {".vx", ".vy", ".vz"},
                                        angular = {".wx", ".wy", ".wz"};
  const int joint = any_moving_joint(b);
  switch (b.random.integer(0, names == Names::positions ? 3 : 8)) {
    case 0:
      return b.options.time_dependent ? "t" : "k";
    case 1:
      return any_body(b) + b.random.pick(place);
    case 2:
      return b.options.inputs ? "push" : "k";
    case 3:
    case 4: {
      if (joint < 0) return "k";
      const int nq = info(b.joint_types[joint]).nq;
      return component(b.model.joints[joint].name + ".q", nq, b.random.integer(0, nq - 1));
    }
    case 5: {
      if (joint < 0) return "half";
      const int nv = info(b.joint_types[joint]).nv;
      return component(b.model.joints[joint].name + ".v", nv, b.random.integer(0, nv - 1));
    }
    case 6: {
      const std::string& body = any_body(b);
      const std::string& suffix = b.random.pick(linear);
      if (!b.rotors.chance(0.4)) return body + suffix;
      return b.model.points.empty() ? body + ".R[0,2]" : "tip" + suffix;
    }
    case 7: {
      const std::string& body = any_body(b);
      const std::string& suffix = b.random.pick(angular);
      return b.rotors.chance(0.3) ? "sin(" + body + ".yaw)" : body + suffix;
    }
    default:
      return b.random.chance(0.5) ? "atan(0.1*kinetic)" : "atan(0.1*potential)";
  }
}

// A smooth expression of order one in one or two names; see also add_corner.
std::string any_smooth_expression(Builder& b, Names names, double size) {
  const std::string x = any_name(b, names), y = any_name(b, names);
  const std::string a = digits(b.random.away_from_zero(0.3 * size, size));
  switch (b.random.integer(0, 5)) {
    case 0:
      return a + "*sin(" + x + " + 0.3)";
    case 1:
      return a + "*(" + x + " - 0.2)*cos(" + y + ")";
    case 2:
      return a + "*tanh(" + x + "*" + y + " + 0.5)";
    case 3:
      return a + "*" + x + "/(2 + (" + y + ")^2)";
    case 4:
      return a + "*exp(-0.1*(" + x + ")^2) + 0.1*" + y;
    default:
      return a + "*(" + x + ")^2*half - " + y + "*sqrt(1 + (" + x + ")^2)";
  }
}
// Of its own: the rest does not depend on it. A potential with a corner has no force there.
std::string any_expression(Builder& b, Names names, double size) {
  const std::string text = any_smooth_expression(b, names, size);
  if (b.options.switches == 0 || names == Names::positions || !b.corners.chance(b.options.switches))
    return text;
  return b.corners.chance(0.5) ? "abs(" + text + ")" : "max(" + text + ", -0.3*(" + text + "))";
}
Values any_vector(Builder& b, double size) {
  Values v;
  for (int k = 0; k < 3; ++k)
    v.push_back(b.random.chance(0.3) ? number(b, b.random.uniform(-size, size))
                                     : Value(any_expression(b, Names::everything, size)));
  return v;
}

PlacementText any_point(Builder& b, bool world_too) {
  const bool on_world = world_too && !b.options.internal_only && b.random.chance(0.3);
  return placement(b, on_world ? "world" : any_body(b), 0.5);
}

void add_spring(Builder& b) {
  ForceText f;
  f.type = "spring";
  f.from = any_point(b, true);
  f.to = any_point(b, false);
  if (f.from.body.name == f.to.body.name) return;
  if (b.random.chance(0.5)) std::swap(f.from, f.to);
  f.stiffness = {number(b, b.random.uniform(1, 40))};
  if (b.random.chance(0.6)) f.damping = {number(b, b.random.uniform(0.1, 3))};
  if (b.random.chance(0.7)) f.length = number(b, b.random.uniform(0.2, 1.5));
  // without a length the damper does not act along the line: it resists a common rotation too
  if (b.options.internal_only && !f.length) f.damping = {};
  b.model.forces.push_back(f);
}

// Between the frames of a joint: they stay near each other. Draws that leave the sequence as it
// was.
void add_bushing(Builder& b) {
  if (b.model.joints.empty()) return;
  const Random before = b.random;
  b.random = before.aside();
  const JointText& joint = b.random.pick(b.model.joints);
  const bool outside = joint.parent.body.name == "world" || joint.child.body.name == "world";
  ForceText f;
  f.type = "bushing";
  f.from = joint.parent;
  f.to = joint.child;
  for (int k = 0; k < 6; ++k) f.stiffness.push_back(b.random.uniform(1, 20));
  if (b.random.chance(0.6))
    for (int k = 0; k < 6; ++k) f.damping.push_back(b.random.uniform(0.1, 1));
  const bool drawn = b.random.chance(0.3);
  b.random = before;
  if (drawn && !(b.options.internal_only && outside)) b.model.forces.push_back(f);
}

Values one_or_each(Builder& b, int count, double low, double high) {
  Values v;
  const int size = count > 1 && b.random.chance(0.4) ? 1 : count;
  for (int k = 0; k < size; ++k) v.push_back(number(b, b.random.uniform(low, high)));
  return v;
}

void add_torsion(Builder& b) {
  const int joint = any_joint(b, [](JointType t) { return t != JointType::free; });
  if (joint < 0) return;
  const int nv = info(b.joint_types[joint]).nv;
  ForceText f;
  f.type = "torsion";
  f.joint = b.model.joints[joint].name;
  f.stiffness = one_or_each(b, nv, 1, 20);
  if (b.random.chance(0.6)) f.damping = one_or_each(b, nv, 0.1, 2);
  if (is_ball(b.joint_types[joint])) {
    static const std::vector<std::string> measures = {"", "rotation-vector", "euler321",
                                                      "euler321-literal"};
    f.measure = b.random.pick(measures);
    if (b.random.chance(0.6)) f.rest_rotation = rotation(b, b.random.rotation());
  } else if (b.random.chance(0.6)) {
    f.rest = one_or_each(b, nv, -1, 1);
  }
  b.model.forces.push_back(f);
}

void add_wrench(Builder& b) {
  ForceText f;
  f.type = "wrench";
  f.body = any_body(b);
  f.at = numbers(b, b.random.vector(0.5));
  if (b.random.chance(0.8)) f.force = any_vector(b, 5);
  if (f.force.empty() || b.random.chance(0.5)) f.torque = any_vector(b, 2);
  static const std::vector<std::string> frames = {"", "world", "body"};
  f.frame = b.random.chance(0.3) ? any_body(b) : b.random.pick(frames);
  b.model.forces.push_back(f);
}

// Sometimes through the short names q and v of the joint itself.
void add_joint_force(Builder& b) {
  const int joint = any_moving_joint(b);
  if (joint < 0) return;
  const JointTypeInfo& type = info(b.joint_types[joint]);
  ForceText f;
  f.type = "joint";
  f.joint = b.model.joints[joint].name;
  for (int k = 0; k < type.nv; ++k) {
    std::string text = any_expression(b, Names::everything, 3);
    if (b.random.chance(0.5))
      text += " - 0.4*" + component("q", type.nq, b.random.integer(0, type.nq - 1)) + "*" +
              component("v", type.nv, k);
    f.value.push_back(text);
  }
  b.model.forces.push_back(f);
}

void add_potential(Builder& b) {
  ForceText f;
  f.type = "potential";
  std::string text = any_expression(b, Names::positions, 2);
  for (int k = b.random.integer(0, 2); k > 0; --k)
    text += " + " + any_expression(b, Names::positions, 2);
  f.value = {text};
  b.model.forces.push_back(f);
}

bool may_have_bearings(JointType t) {
  return info(t).bearings != JointBearings::none;
}

void add_bearings(Builder& b, JointType type, ForceText& f) {
  // two or three, on a line that is not the axis, with coefficients small enough to let the joint
  // slip
  for (int k = b.random.integer(2, 3); k > 0; --k) {
    BearingText bearing;
    bearing.at = numbers(b, b.random.vector(0.5));
    bearing.radial = number(b, b.random.uniform(0.002, 0.02));
    if (info(type).bearings == JointBearings::axis && b.random.chance(0.5))
      bearing.axial = number(b, b.random.uniform(0.002, 0.02));
    f.bearings.push_back(bearing);
  }
}

// Draws that leave the sequence as it was: seeds mean the mechanisms they meant before loads.
void add_load(Builder& b, ForceText& f) {
  const Random before = b.random;
  if (b.random.chance(0.4)) f.load = {Value(any_expression(b, Names::everything, 0.5))};
  b.random = before;
}

// A free joint has nothing to stick to, and to the world it would be an outside force.
void add_friction(Builder& b, bool smooth) {
  const bool free_too = smooth && !b.options.internal_only;
  const int joint = any_joint(b, [&](JointType t) { return free_too || t != JointType::free; });
  if (joint < 0) return;
  for (const ForceText& other : b.model.forces)  // one law per joint keeps exact friction decidable
    if (other.type == "friction" && other.joint.name == b.model.joints[joint].name) return;
  const JointType type = b.joint_types[joint];
  const int count = is_ball(type) ? 1 : info(type).nv;
  ForceText f;
  f.type = "friction";
  f.joint = b.model.joints[joint].name;
  f.coulomb = one_or_each(b, count, 0.05, 1);
  if (b.random.chance(0.6)) f.viscous = one_or_each(b, count, 0.05, 0.5);
  if (b.random.chance(0.6)) f.quadratic = one_or_each(b, count, 0.05, 0.5);
  if (smooth) f.smoothing = number(b, b.random.uniform(0.05, 1));
  if (b.options.bearings && may_have_bearings(type) && b.random.chance(0.5))
    add_bearings(b, type, f);
  if (b.options.expressions && f.bearings.empty()) add_load(b, f);
  b.model.forces.push_back(f);
}

void add_drag(Builder& b) {
  ForceText f;
  f.type = "drag";
  f.body = any_body(b);
  f.at = numbers(b, b.random.vector(0.5));
  f.coefficient = number(b, b.random.uniform(0.05, 0.6));
  if (b.options.internal_only || b.random.chance(0.3))
    f.on = any_body(b);
  else if (b.random.chance(0.6))
    f.medium = any_vector(b, 1);
  if (f.on.name == f.body.name) return;
  b.model.forces.push_back(f);
}

}  // namespace

void add_forces(Builder& b) {
  using Add = void (*)(Builder&);
  std::vector<Add> kinds;
  const RandomMechanismOptions& o = b.options;
  if (o.springs) kinds.push_back(add_spring);
  if (o.torsion) kinds.push_back(add_torsion);
  if (o.drag) kinds.push_back(add_drag);
  if (o.smooth_friction) kinds.push_back([](Builder& x) { add_friction(x, true); });
  if (o.exact_friction) kinds.push_back([](Builder& x) { add_friction(x, false); });
  if (!o.internal_only) {
    if (o.wrenches) kinds.push_back(add_wrench);
    if (o.joint_forces) kinds.push_back(add_joint_force);
    if (o.potentials) kinds.push_back(add_potential);
  }
  if (kinds.empty()) return;
  const int count = b.random.integer(1, 3 + static_cast<int>(b.model.bodies.size()) / 2);
  for (int k = 0; k < count; ++k) b.random.pick(kinds)(b);
  if (o.bushings) add_bushing(b);
}

// On a plane of the world or of another body, with a variable of its own. Draws aside.
void add_tyre(Builder& b, const std::string& deflection) {
  Random random = b.random.aside();
  VariableText variable;
  variable.name = deflection;
  variable.initial = random.uniform(-0.3, 0.3);
  b.model.variables.push_back(variable);
  const auto vector = [&] {
    Values values;
    for (int k = 0; k < 3; ++k) values.push_back(random.uniform(-1, 1));
    return values;
  };
  ForceText f;
  f.type = "tyre";
  f.body = random.pick(b.model.bodies).name;
  f.at = vector();
  f.stiffness = {random.uniform(1, 5)};
  f.numbers = {{"axis", vector()},
               {"normal", vector()},
               {"radius", {random.uniform(0.2, 0.6)}},
               {"relaxation", {random.uniform(0.2, 0.6)}},
               {"trail", {random.uniform(-0.2, 0.2)}}};
  f.deflection = deflection;
  const std::string on = random.pick(b.model.bodies).name;
  if (on != f.body.name && random.chance(0.5)) f.on = on;
  b.model.forces.push_back(f);
}

void add_variables(Builder& b) {
  const auto name = [](int k) { return "z" + std::to_string(k); };
  for (int k = 0; k < b.options.variables; ++k) {
    VariableText variable;
    variable.name = name(k);
    variable.initial = number(b, b.random.uniform(-1, 1));
    variable.rate = Value(any_expression(b, Names::everything, 1) + " - " + name(k) + "*" +
                          name((k + 1) % b.options.variables));
    b.model.variables.push_back(variable);
  }
  ForceText push;
  push.type = "wrench";
  push.body = any_body(b);
  push.force = {Value("2*" + name(0)), Value(0.0),
                Value("sin(" + name(b.options.variables - 1) + ")")};
  b.model.forces.push_back(push);
  if (b.options.tyre) add_tyre(b, name(b.options.variables));
  const int joint = any_moving_joint(b);
  if (joint < 0) return;
  ForceText motor;
  motor.type = "joint";
  motor.joint = b.model.joints[joint].name;
  for (int k = 0; k < info(b.joint_types[joint]).nv; ++k)
    motor.value.push_back(Value("0.5*push*" + name(0) + " - 0.2*" + name(b.options.variables - 1)));
  b.model.forces.push_back(motor);
}

}  // namespace cartan::test::random_parts
