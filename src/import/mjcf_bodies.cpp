// Bodies and joints of MJCF, with frames, replications and default classes taken apart.
#include <cmath>

#include "import/mjcf_reader.h"

namespace cartan::import {
namespace {

constexpr std::size_t most_expanded = 200000;

double scaled_angle(double x, bool degrees) {
  return degrees ? x * M_PI / 180 : x;
}

bool is_moving(const std::string& type) {
  return type == "hinge" || type == "slide" || type == "ball" || type == "free";
}

// The number of a copy, with zeros before it so that all have the same length.
std::string copy_suffix(int index, int count) {
  std::string number = std::to_string(index);
  const std::size_t length = std::to_string(count - 1).size();
  return std::string(length - std::min(length, number.size()), '0') + number;
}

}  // namespace

Quat<double> MjcfReader::quaternion_from_euler(const Vec3<double>& angles) const {
  Quat<double> q;
  for (int i = 0; i < 3; ++i) {
    const char axis = euler_sequence_[i];
    const bool fixed = axis >= 'X' && axis <= 'Z';
    Vec3<double> direction;
    direction[(fixed ? axis - 'X' : axis - 'x')] = 1;
    const Quat<double> turn = quaternion_from_axis(direction, scaled_angle(angles[i], degrees_));
    q = fixed ? turn * q : q * turn;
  }
  return q;
}

Quat<double> MjcfReader::read_rotation_of(const XmlElement& element) {
  const auto complain = [&](const char* attribute) {
    problems_.error(element.find(attribute)->where,
                    std::string("'") + attribute + "' is no rotation: a direction is zero");
    return Quat<double>{};
  };
  if (const auto q = read_numbers(element, "quat", 4, 4, problems_); !q.empty()) {
    const Quat<double> quaternion{q[0], q[1], q[2], q[3]};
    return norm(quaternion) > 0 ? normalized(quaternion) : complain("quat");
  }
  if (const auto a = read_numbers(element, "axisangle", 4, 4, problems_); !a.empty()) {
    if (norm(triple(a)) == 0) return complain("axisangle");
    return quaternion_from_axis(triple(a), scaled_angle(a[3], degrees_));
  }
  if (const auto e = read_numbers(element, "euler", 3, 3, problems_); !e.empty())
    return quaternion_from_euler(triple(e));
  if (const auto a = read_numbers(element, "xyaxes", 6, 6, problems_); !a.empty()) {
    const Vec3<double> x{a[0], a[1], a[2]}, y{a[3], a[4], a[5]};
    if (norm(cross(x, y)) == 0) return complain("xyaxes");
    return quaternion_from_axes(x, y);
  }
  if (const auto z = read_numbers(element, "zaxis", 3, 3, problems_); !z.empty())
    return norm(triple(z)) > 0 ? quaternion_to_direction(triple(z)) : complain("zaxis");
  return {};
}

DraftPose MjcfReader::read_pose(const XmlElement& element) {
  DraftPose pose;
  pose.p = read_triple(element, "pos", {0, 0, 0}, problems_);
  pose.q = read_rotation_of(element);
  return pose;
}

void MjcfReader::gather(const XmlElement& element, const Around& around, Contents& contents) {
  for (const XmlElement& child : element.children) {
    if (++expanded_ > most_expanded) {
      if (expanded_ == most_expanded + 1)
        problems_.error(child.where, "replications make more than 200000 elements");
      return;
    }
    const std::string& name = child.name;
    if (name == "joint") {
      contents.joints.emplace_back(defaults_.merge(child, "joint", around.child_class, problems_),
                                   around);
    } else if (name == "freejoint") {
      MergedElement merged;
      merged.element = child;
      contents.joints.emplace_back(std::move(merged), around);
    } else if (name == "geom") {
      contents.geoms.emplace_back(defaults_.merge(child, "geom", around.child_class, problems_),
                                  around);
    } else if (name == "site") {
      contents.sites.emplace_back(defaults_.merge(child, "site", around.child_class, problems_),
                                  around);
    } else if (name == "inertial") {
      contents.inertial = &child;
    } else if (name == "body") {
      contents.bodies.emplace_back(&child, around);
    } else if (name == "frame") {
      Around inner = around;
      inner.frame = compose(around.frame, read_pose(child));
      if (child.has("childclass")) inner.child_class = child.get("childclass");
      gather(child, inner, contents);
    } else if (name == "replicate") {
      replicate(child, around, contents);
    } else if (name == "composite" || name == "flexcomp" || name == "attach" || name == "plugin") {
      problems_.error(child.where, "<" + name +
                                       "> makes bodies or forces that are not understood; the "
                                       "motion without them would be another one");
    } else if (name == "camera" || name == "light") {
      report_.leave("cameras and lights", child.where, no_effect_on_motion);
    } else {
      problems_.error(child.where, "unknown element <" + name + "> in a body");
    }
  }
}

void MjcfReader::replicate(const XmlElement& element, const Around& around, Contents& contents) {
  const double asked = read_number(element, "count", 0, problems_);
  if (asked < 1 || asked > most_expanded || asked != std::floor(asked)) {
    problems_.error(element.where, "<replicate> needs a count from 1 to 200000");
    return;
  }
  const int count = static_cast<int>(asked);
  const Vec3<double> offset = read_triple(element, "offset", {0, 0, 0}, problems_),
                     euler = read_triple(element, "euler", {0, 0, 0}, problems_);
  Vec3<double> at;
  for (int i = 0; i < count && expanded_ <= most_expanded; ++i) {
    DraftPose step;
    step.p = at;
    step.q = quaternion_from_euler(static_cast<double>(i) * euler);
    Around inner = around;
    inner.frame = compose(around.frame, step);
    inner.suffix = around.suffix + element.get("sep") + copy_suffix(i, count);
    if (element.has("childclass")) inner.child_class = element.get("childclass");
    gather(element, inner, contents);
    at += rotate(step.q, offset);
  }
}

void MjcfReader::add_contents(const Contents& contents, const std::string& body,
                              const DraftPose& in_world) {
  if (expanded_ > most_expanded) return;
  for (const auto& [merged, around] : contents.sites) {
    MjcfSite site;
    site.body = body;
    site.in_body = compose(around.frame, read_pose(merged.element));
    sites_[merged.element.get("name") + around.suffix] = site;
  }
  if (body == "world") {
    for (const auto& [merged, around] : contents.joints)
      problems_.error(merged.element.where, "the world has no joints");
    report_.leave("geoms of the world",
                  contents.geoms.empty() ? Location{} : contents.geoms[0].first.element.where,
                  "contacts are not modelled", static_cast<int>(contents.geoms.size()));
  }
  for (const auto& [child, around] : contents.bodies) add_body(*child, around, body, in_world);
}

void MjcfReader::add_body(const XmlElement& element, const Around& around,
                          const std::string& parent, const DraftPose& parent_in_world) {
  const int number = ++body_count_;
  const std::string source = element.get("name").empty() ? "" : element.get("name") + around.suffix;
  MjcfBody body;
  body.name = source.empty() ? "body" + std::to_string(number) : clean_name(source);
  if (body.name == "world") body.name = "world_body";
  body.where = element.where;
  body.gravity_compensation = read_number(element, "gravcomp", 0, problems_);
  const DraftPose in_parent = compose(around.frame, read_pose(element));
  body.in_world = compose(parent_in_world, in_parent);

  Around inner;
  inner.suffix = around.suffix;
  inner.child_class = element.has("childclass") ? element.get("childclass") : around.child_class;
  if (element.has("childclass") && !defaults_.knows(inner.child_class))
    problems_.error(element.find("childclass")->where,
                    "unknown default class '" + inner.child_class + "'");
  Contents contents;
  gather(element, inner, contents);
  body.inertia = inertia_of(contents, body.name, element.where);
  std::vector<DraftInertia> unused;
  for (const auto& [merged, place] : contents.geoms)
    add_geom(merged, place, body.name, false, unused, body.shapes);
  if (read_flag(element.get("mocap"), false))
    report_.leave("motion of mocap bodies", element.where, "they stay where the file draws them");

  const std::string name = body.name;
  const DraftPose in_world = body.in_world;
  body_index_[source.empty() ? name : source] = bodies_.size();
  bodies_.push_back(std::move(body));
  add_joints(contents, parent, name, in_parent, in_world, element.where);
  add_contents(contents, name, in_world);
}

// Several joints make a chain of bodies without mass, each frame equal to the body's at zero.
std::string MjcfReader::add_joints(const Contents& contents, const std::string& parent,
                                   const std::string& body, const DraftPose& in_parent,
                                   const DraftPose& in_world, Location where) {
  std::string inner = parent;
  DraftPose base = in_parent;
  if (contents.joints.empty()) {
    DraftJoint joint;
    joint.name = context_.draft.free_joint_name(body + "_fixed");
    joint.type = "fixed";
    joint.parent = parent;
    joint.child = body;
    joint.in_parent = in_parent;
    joint.where = where;
    context_.draft.joints.push_back(std::move(joint));
    return body;
  }
  for (std::size_t k = 0; k < contents.joints.size(); ++k) {
    const auto& [merged, around] = contents.joints[k];
    const std::string type = merged.element.name == "freejoint" ? "free"
                             : merged.element.has("type")       ? merged.element.get("type")
                                                                : "hinge";
    if (!is_moving(type)) {
      problems_.error(merged.element.where,
                      "unknown joint type '" + type + "'; expected hinge, slide, ball or free");
      return body;
    }
    DraftJoint joint;
    const std::string source = merged.element.get("name");
    joint.name = source.empty() ? "joint" + std::to_string(joint_count_)
                                : clean_name(source + around.suffix);
    joint.parent = inner;
    joint.child = k + 1 == contents.joints.size()
                      ? body
                      : context_.draft.free_body_name(body + "_" + joint.name);
    if (joint.child != body) context_.draft.add_massless(joint.child, merged.element.where);
    DraftPose anchor;
    if (type != "free")
      anchor.p = around.frame.p +
                 rotate(around.frame.q, read_triple(merged.element, "pos", {0, 0, 0}, problems_));
    joint.in_parent = compose(base, anchor);
    joint.in_child = anchor;
    inner = joint.child;
    base = {};
    add_joint(merged, around, type, std::move(joint), in_world);
    ++joint_count_;
  }
  if (contents.joints.size() > 1) report_.carry("bodies with several joints");
  return body;
}

void MjcfReader::add_joint(const MergedElement& merged, const Around& around,
                           const std::string& type, DraftJoint joint, const DraftPose& in_world) {
  const XmlElement& element = merged.element;
  joint.where = element.where;
  MjcfJoint record;
  record.name = joint.name;
  record.type = type;
  record.in_world = in_world;
  record.draft = context_.draft.joints.size();
  if (type == "hinge" || type == "slide") {
    const Vec3<double> axis = read_triple(element, "axis", {0, 0, 1}, problems_);
    if (norm(axis) == 0)
      problems_.error(element.where, "the axis of joint '" + joint.name + "' is zero");
    joint.axes = {rotate(around.frame.q, axis)};
    record.ref = read_number(element, "ref", 0, problems_);
    if (type == "hinge") record.ref = scaled_angle(record.ref, degrees_);
    if (record.ref != 0)
      report_.note(element.where, "the coordinate of joint '" + joint.name +
                                      "' is qpos minus its ref " + number_text(record.ref));
  }
  joint.type = type == "hinge"   ? "revolute"
               : type == "slide" ? "prismatic"
               : type == "ball"  ? "spherical"
                                 : "free";
  joint.rotor_inertia = rotor_of(merged, type);
  add_joint_limits(element, type, record.ref, joint);
  report_.carry(type + " joints");
  const std::string source =
      element.get("name").empty() ? joint.name : element.get("name") + around.suffix;
  joints_[source] = record;
  joint_order_.push_back(source);
  context_.draft.joints.push_back(joint);
  add_joint_dynamics(merged, type, joint, record.ref);
}

// Of qpos, which is ref in the drawn pose. MuJoCo's limits give way like springs (solreflimit).
void MjcfReader::add_joint_limits(const XmlElement& element, const std::string& type, double ref,
                                  DraftJoint& joint) {
  const std::string limited = element.get("limited");
  const bool on = limited.empty() || limited == "auto" ? auto_limits_ : limited == "true";
  if (!element.has("range") || !on || !limits_ || type == "free") return;
  if (type == "ball")
    return report_.leave("limits of ball joints", element.where,
                         "only plain coordinates have stops: the joints turn on beyond them");
  const auto range = read_numbers(element, "range", 2, 2, problems_);
  if (range.empty()) return;
  const bool angle = type == "hinge" && degrees_;
  add_limits(joint, 0, 1,
             {scaled_angle(range[0], angle) - ref, scaled_angle(range[1], angle) - ref},
             element.where, context_);
  if (!joint.stops.empty() && !limits_told_)
    report_.note(element.where,
                 "limits of MuJoCo give way a little; here joints stop at them, without rebound");
  limits_told_ = limits_told_ || !joint.stops.empty();
}

// A number; where it comes from a default class, a parameter of the model file.
std::string MjcfReader::dynamic_value(const MergedElement& merged, const char* attribute) {
  const double value = read_number(merged.element, attribute, 0, problems_);
  if (value == 0) return "";
  const auto from = merged.from.find(attribute);
  if (from == merged.from.end()) return number_text(value);
  std::string& name = class_parameters_[from->second + " " + attribute];
  if (name.empty())
    name = context_.draft.parameter(from->second + "_joint_" + attribute, value,
                                    merged.element.find(attribute)->where);
  return toml_text(name);
}

std::string MjcfReader::rotor_of(const MergedElement& merged, const std::string& type) {
  const double armature = read_number(merged.element, "armature", 0, problems_);
  if (armature == 0) return "";
  if (type == "free") {
    report_.leave("armature of free joints", merged.element.where,
                  "it is no inertia of any body: the motion is another one where it matters");
    return "";
  }
  if (!rotor_inertia_is_read) {
    report_.leave("armatures", merged.element.where, rotor_reason);
    return "";
  }
  report_.carry("armatures");
  return dynamic_value(merged, "armature");
}

void MjcfReader::add_joint_dynamics(const MergedElement& merged, const std::string& type,
                                    const DraftJoint& joint, double ref) {
  const XmlElement& element = merged.element;
  if (element.has("springdamper")) {
    const auto pair = read_numbers(element, "springdamper", 2, 2, problems_);
    if (!pair.empty() && pair[0] > 0 && pair[1] > 0)
      problems_.error(element.find("springdamper")->where,
                      "'springdamper' takes stiffness and damping from the inertia of the drawn "
                      "pose; write them as `stiffness` and `damping`");
  }
  JointDynamics forces;
  if (springs_) forces.stiffness = dynamic_value(merged, "stiffness");
  if (dampers_) forces.damping = dynamic_value(merged, "damping");
  if (frictions_) forces.friction = dynamic_value(merged, "frictionloss");
  if (type == "free") {
    if (!forces.stiffness.empty() || !forces.friction.empty())
      problems_.error(element.where, "a spring or friction of the free joint '" + joint.name +
                                         "' is not understood; write a force into the imported "
                                         "model file");
    if (!forces.damping.empty()) {
      const std::string c = number_text(read_number(element, "damping", 0, problems_));
      std::string values;
      for (int k = 0; k < 6; ++k)
        values += (k ? ", " : "") + toml_text("-" + c + "*v[" + std::to_string(k) + "]");
      context_.draft.add_force("joint", joint.name + "_damper", element.where)
          .set("joint", toml_text(joint.name))
          .set("value", "[" + values + "]");
      report_.carry("joint damping");
    }
    return;
  }
  double rest = read_number(element, "springref", 0, problems_);
  if (type == "hinge") rest = scaled_angle(rest, degrees_);
  if (type != "ball") forces.rest = rest - ref;
  add_joint_forces(joint.name, forces, element.where, context_);
}

}  // namespace cartan::import
