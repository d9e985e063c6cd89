// Joints of SDF, their laws, and what couples them.
#include <cmath>

#include "import/sdf_reader.h"
#include "import/sdf_values.h"

namespace cartan::import {
namespace {

// 1 when two directions agree, -1 when they are opposite, 0 when they do neither.
double alignment(const Vec3<double>& a, const Vec3<double>& b) {
  const double cosine = dot(a, b) / (norm(a) * norm(b));
  return cosine > 1 - 1e-9 ? 1 : cosine < -1 + 1e-9 ? -1 : 0;
}

}  // namespace

// Full name of the frame, "" for the world; "?" after a complaint. `link`: what carries it.
std::string SdfReader::side_of(const XmlElement& joint, const char* side, const Model& model,
                               std::string& link) {
  const XmlElement* element = joint.child(side);
  const std::string name = element ? trimmed(element->text) : "";
  if (name.empty()) {
    problems_.error(joint.where, "joint '" + joint.get("name") + "' without a <" + side + ">");
    return "?";
  }
  link = "";
  if (name == "world") return "";
  const std::string full = name == "__model__" ? model.frame : model.prefix + name;
  link = frames_.carrier(full);
  if (link != "?" && frames_.knows(full)) return full;
  problems_.error(element->where, "unknown " + std::string(side) + " '" + name + "' of joint '" +
                                      joint.get("name") + "'");
  return "?";
}

void SdfReader::add_joint(const XmlElement& element, const Model& model) {
  DraftJoint joint;
  std::string parent, child;
  if (side_of(element, "parent", model, parent) == "?" ||
      side_of(element, "child", model, child) == "?")
    return;
  const std::string frame = model.prefix + element.get("name");
  joint.name = clean_name(frame);
  joint.where = element.where;
  joint.parent = clean_name(body_name(parent));
  joint.child = clean_name(body_name(child));
  DraftPose in_world, parent_in_world, child_in_world;
  if (!frames_.resolve(frame, "", in_world) || !frames_.resolve(parent, "", parent_in_world) ||
      !frames_.resolve(child, "", child_in_world)) {
    problems_.error(element.where, "the pose of joint '" + joint.name +
                                       "' refers to a frame that is not there, or to itself");
    return;
  }
  joint.in_parent = compose(inverse(parent_in_world), in_world);
  const SdfFrames::Frame* own = frames_.find(frame);
  joint.in_child =
      own->relative_to == child ? own->pose : compose(inverse(child_in_world), in_world);
  if (joint.parent == joint.child) {
    problems_.error(element.where, "both sides of joint '" + joint.name + "' are on one link");
    return;
  }
  set_joint_type(element, model, std::move(joint), frame);
}

// In the axes of the joint's frame.
bool SdfReader::read_axis(const XmlElement& element, const char* which, const Model& model,
                          const std::string& frame, Vec3<double>& axis) {
  axis = {0, 0, 1};
  const XmlElement* given = element.child(which);
  const XmlElement* xyz = given ? given->child("xyz") : nullptr;
  if (!xyz) return true;
  axis = text_triple(*xyz, axis, problems_);
  if (norm(axis) == 0) {
    problems_.error(xyz->where, "the axis of joint '" + element.get("name") + "' is zero");
    return false;
  }
  std::string in = xyz->get("expressed_in");
  const XmlElement* old = given->child("use_parent_model_frame");
  if (in.empty() && version_before(7) &&
      (version_before(5) || (old && read_flag(old->text, false))))
    in = "__model__";
  if (in.empty()) return true;
  const std::string full = in == "world" ? "" : in == "__model__" ? model.frame : model.prefix + in;
  DraftPose from, to;
  if (!frames_.resolve(full, "", from) || !frames_.resolve(frame, "", to)) {
    problems_.error(xyz->where, "unknown frame '" + in + "'");
    return false;
  }
  axis = rotate(conjugate(to.q), rotate(from.q, axis));
  return true;
}

double SdfReader::read_screw_pitch(const XmlElement& element) {
  if (element.child("screw_thread_pitch"))  // metres per turn, right-handed
    return child_number(element, "screw_thread_pitch", 1, problems_) / (2 * M_PI);
  if (const XmlElement* old = element.child("thread_pitch")) {  // radians per metre, left-handed
    const double pitch = text_number(*old, 1, problems_);
    if (pitch != 0) return -1 / pitch;
    problems_.error(old->where, "<thread_pitch> is zero");
    return 0;
  }
  return version_before(10) ? -1 : 1 / (2 * M_PI);
}

void SdfReader::push_joint(const XmlElement& element, const DraftJoint& joint, JointRecord record) {
  record.parent = joint.parent;
  record.child = joint.child;
  double rotor = child_number(element, "drake:rotor_inertia", 0, problems_);
  const double gear = child_number(element, "drake:gear_ratio", 1, problems_);
  rotor *= gear * gear;
  context_.draft.joints.push_back(joint);
  if (rotor != 0 && rotor_inertia_is_read && joint.axes.size() == 1) {
    context_.draft.joints.back().rotor_inertia = number_text(rotor);
    report_.carry("rotor inertias");
  } else if (rotor != 0) {
    report_.leave("rotor inertias", element.where, rotor_reason);
  }
  joints_[joint.name] = std::move(record);
  report_.carry(element.get("type") + " joints");
}

void SdfReader::set_joint_type(const XmlElement& element, const Model& model, DraftJoint joint,
                               const std::string& frame) {
  static const std::map<std::string, const char*> types = {
      {"revolute", "revolute"},   {"continuous", "revolute"}, {"prismatic", "prismatic"},
      {"fixed", "fixed"},         {"ball", "spherical"},      {"screw", "screw"},
      {"universal", "universal"}, {"revolute2", "revolute"}};
  const std::string type = element.get("type");
  const auto known = types.find(type);
  if (known == types.end()) {
    problems_.error(element.where, "unknown joint type '" + type +
                                       "'; expected revolute, continuous, prismatic, ball, "
                                       "universal, revolute2, screw, gearbox or fixed");
    return;
  }
  joint.type = known->second;
  if (type != known->second) joint.comment = type;
  const int count = type == "fixed" || type == "ball"            ? 0
                    : type == "universal" || type == "revolute2" ? 2
                                                                 : 1;
  DraftPose in_world;
  frames_.resolve(frame, "", in_world);
  JointRecord record;
  record.type = type;
  std::vector<Vec3<double>> axes;
  for (int k = 0; k < count; ++k) {
    Vec3<double> axis;
    if (!read_axis(element, k == 0 ? "axis" : "axis2", model, frame, axis)) return;
    axes.push_back(axis);
    record.axes_in_world.push_back(rotate(in_world.q, axis));
    record.coordinates.push_back(count == 2 && type == "universal"
                                     ? joint.name + "[" + std::to_string(k) + "]"
                                     : joint.name);
  }
  if (type == "revolute2") return add_revolute2(element, std::move(joint), axes, record);
  joint.axes = axes;
  if (type == "screw") joint.pitch = read_screw_pitch(element);
  push_joint(element, joint, record);
  if (type == "universal") {
    add_universal_dynamics(element, joint.name);
  } else if (const XmlElement* axis = element.child("axis"); axis && count == 1) {
    add_axis_dynamics(element, *axis, joint.name, axis->where);
  }
}

// Two revolute joints with a body without mass between them.
void SdfReader::add_revolute2(const XmlElement& element, DraftJoint joint,
                              const std::vector<Vec3<double>>& axes, JointRecord record) {
  const std::string between = context_.draft.free_body_name(joint.name + "_between");
  context_.draft.add_massless(between, element.where);
  DraftJoint second = joint;
  joint.axes = {axes[0]};
  joint.child = between;
  joint.in_child = {};
  second.name = context_.draft.free_joint_name(joint.name + "_2");
  second.parent = between;
  second.in_parent = {};
  second.axes = {axes[1]};
  record.coordinates[1] = second.name;
  const std::string child = second.child, parent = joint.parent;
  push_joint(element, joint, record);
  joints_[joint.name].child = child;
  context_.draft.joints.push_back(second);
  if (const XmlElement* axis = element.child("axis"))
    add_axis_dynamics(element, *axis, joint.name, axis->where);
  if (const XmlElement* axis = element.child("axis2"))
    add_axis_dynamics(element, *axis, second.name, axis->where);
}

void SdfReader::read_limits(const XmlElement& axis, const std::string& name, std::size_t k,
                            std::size_t count) {
  const XmlElement* limit = axis.child("limit");
  if (!limit) return;
  const auto bound = [&](const char* side) -> std::optional<double> {
    const XmlElement* given = limit->child(side);
    if (!given || given->text.find("inf") != std::string::npos) return std::nullopt;
    return text_number(*given, 0, problems_);
  };
  for (DraftJoint& joint : context_.draft.joints)
    if (joint.name == name && joint.comment != "continuous")
      add_limits(joint, k, count, {bound("lower"), bound("upper")}, limit->where, context_);
  if (limit->child("effort") || limit->child("velocity"))
    report_.leave("effort and velocity limits", limit->where, "forces are not cut off");
  if (limit->child("stiffness") || limit->child("dissipation"))
    report_.leave("stiffness of limits", limit->where, "stops are hard, without rebound");
}

void SdfReader::add_axis_dynamics(const XmlElement&, const XmlElement& axis,
                                  const std::string& joint, Location where) {
  read_limits(axis, joint, 0, 1);
  const XmlElement* dynamics = axis.child("dynamics");
  if (!dynamics) return;
  JointDynamics forces;
  const auto set = [&](std::string& target, const char* key) {
    if (const double x = child_number(*dynamics, key, 0, problems_); x != 0)
      target = number_text(x);
  };
  set(forces.damping, "damping");
  set(forces.friction, "friction");
  set(forces.stiffness, "spring_stiffness");
  forces.rest = child_number(*dynamics, "spring_reference", 0, problems_);
  add_joint_forces(joint, forces, where, context_);
}

// One force for both axes, as lists.
void SdfReader::add_universal_dynamics(const XmlElement& element, const std::string& joint) {
  const char* const keys[4] = {"damping", "friction", "spring_stiffness", "spring_reference"};
  double values[4][2] = {};
  for (int k = 0; k < 2; ++k) {
    const XmlElement* axis = element.child(k == 0 ? "axis" : "axis2");
    if (axis) read_limits(*axis, joint, static_cast<std::size_t>(k), 2);
    const XmlElement* dynamics = axis ? axis->child("dynamics") : nullptr;
    for (int i = 0; i < 4 && dynamics; ++i)
      values[i][k] = child_number(*dynamics, keys[i], 0, problems_);
  }
  const auto list = [&](int i) {
    return list_text(std::vector<double>{values[i][0], values[i][1]});
  };
  const auto given = [&](int i) { return values[i][0] != 0 || values[i][1] != 0; };
  if (given(2)) {
    DraftItem& spring = context_.draft.add_force("torsion", joint + "_spring", element.where);
    spring.set("joint", toml_text(joint)).set("stiffness", list(2));
    if (given(3)) spring.set("rest", list(3));
    report_.carry("joint springs");
  }
  if (given(0)) {
    context_.draft.add_force("torsion", joint + "_damper", element.where)
        .set("joint", toml_text(joint))
        .set("damping", list(0));
    report_.carry("joint damping");
  }
  if (given(1)) {
    context_.draft.add_force("friction", joint + "_friction", element.where)
        .set("joint", toml_text(joint))
        .set("coulomb", list(1));
    report_.carry("dry friction");
  }
}

void SdfReader::add_mimics(const XmlElement& element, const Model& model) {
  const auto own = joints_.find(clean_name(model.prefix + element.get("name")));
  if (own == joints_.end()) return;
  const auto follow = [&](std::size_t axis, const std::string& leader, std::size_t leader_axis,
                          double multiplier, double offset, Location where) {
    const auto found = joints_.find(clean_name(model.prefix + leader));
    if (found == joints_.end() || leader_axis >= found->second.coordinates.size() ||
        axis >= own->second.coordinates.size()) {
      problems_.error(where, "joint '" + element.get("name") + "' follows '" + leader +
                                 "', which has no such axis or is not there");
      return;
    }
    add_mimic(own->second.coordinates[axis], found->second.coordinates[leader_axis], multiplier,
              offset, where, context_);
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const XmlElement* axis = element.child(k == 0 ? "axis" : "axis2");
    const XmlElement* mimic = axis ? axis->child("mimic") : nullptr;
    if (!mimic) continue;
    const double multiplier = child_number(*mimic, "multiplier", 1, problems_);
    follow(k, mimic->get("joint"), mimic->get("axis") == "axis2" ? 1 : 0, multiplier,
           child_number(*mimic, "offset", 0, problems_) -
               multiplier * child_number(*mimic, "reference", 0, problems_),
           mimic->where);
  }
  if (const XmlElement* mimic = element.child("drake:mimic"))
    follow(0, mimic->get("joint"), 0, read_number(*mimic, "multiplier", 1, problems_),
           read_number(*mimic, "offset", 0, problems_), mimic->where);
}

// theta2 = -ratio theta1, angles of the child and of the parent about their axes, both relative to
// the reference body. They are the coordinates of the joints that tie them to it.
void SdfReader::add_gearbox(const XmlElement& element, const Model& model) {
  std::string parent, child;
  if (side_of(element, "parent", model, parent) == "?" ||
      side_of(element, "child", model, child) == "?")
    return;
  const XmlElement* named = element.child("gearbox_reference_body");
  const std::string reference =
      clean_name(named ? model.prefix + trimmed(named->text) : std::string("?"));
  const double ratio = child_number(element, "gearbox_ratio", 1, problems_);
  const std::string frame = model.prefix + element.get("name");
  DraftPose in_world;
  std::string terms;
  if (!frames_.resolve(frame, "", in_world)) return;
  for (int k = 0; k < 2; ++k) {
    const std::string body = clean_name(body_name(k == 0 ? parent : child));
    Vec3<double> axis;
    if (!read_axis(element, k == 0 ? "axis" : "axis2", model, frame, axis)) return;
    axis = rotate(in_world.q, axis);
    double sign = 0;
    std::string coordinate;
    for (const auto& [name, joint] : joints_) {
      if (joint.coordinates.size() != 1 || (joint.type != "revolute" && joint.type != "continuous"))
        continue;
      const double turned = joint.parent == reference && joint.child == body   ? 1
                            : joint.parent == body && joint.child == reference ? -1
                                                                               : 0;
      if (turned == 0) continue;
      sign = turned * alignment(joint.axes_in_world[0], axis);
      coordinate = joint.coordinates[0];
      if (sign != 0) break;
    }
    if (sign == 0) {
      problems_.error(element.where, "the gearbox '" + element.get("name") +
                                         "' needs a revolute joint between '" + body +
                                         "' and its reference body, about the gearbox's axis");
      return;
    }
    terms += (k ? ", " : "") + std::string("[") + toml_text(coordinate) + ", " +
             number_text(sign * (k == 0 ? ratio : 1)) + "]";
  }
  context_.draft.add_constraint("coupler", element.get("name"), element.where)
      .set("terms", "[" + terms + "]");
  report_.carry("gearbox joints");
}

}  // namespace cartan::import
