// URDF, the robot description of ROS. A joint's frame is the child link's frame; `origin` places it
// in the parent's; `axis` has components in it. docs/import.md has the table.
#include <map>
#include <set>

#include "import/import_context.h"
#include "import/xml_values.h"

namespace cartan::import {
namespace {

DraftPose read_origin(const XmlElement& owner, Diagnostics& problems) {
  const XmlElement* origin = owner.child("origin");
  if (!origin) return {};
  return rpy_pose(read_triple(*origin, "xyz", {0, 0, 0}, problems),
                  read_triple(*origin, "rpy", {0, 0, 0}, problems));
}

double value_of(const XmlElement& owner, const char* child, double otherwise,
                Diagnostics& problems) {
  const XmlElement* element = owner.child(child);
  return element ? read_number(*element, "value", otherwise, problems) : otherwise;
}

class UrdfReader {
 public:
  UrdfReader(const XmlElement& root, ImportContext& context)
      : root_(root), context_(context), problems_(context.problems), report_(context.report) {}

  void read() {
    if (const XmlAttribute* name = root_.find("name"); name && !name->value.empty())
      context_.draft.name = name->value;
    context_.draft.gravity = Vec3<double>{0, 0, -9.81};
    collect();
    if (links_.empty()) {
      problems_.error(root_.where, "there is no <link> in this file");
      return;
    }
    read_transmissions();
    for (const XmlElement* link : links_) add_link(*link);
    hold_roots();
    for (const XmlElement* joint : joints_) add_joint(*joint);
    for (const XmlElement* joint : joints_) add_dynamics(*joint);
  }

 private:
  void collect() {
    for (const XmlElement& child : root_.children) {
      if (child.name == "link") {
        links_.push_back(&child);
        names_.insert(clean_name(child.get("name")));
      } else if (child.name == "joint" || child.name == "drake:joint") {
        joints_.push_back(&child);
        joint_by_name_[child.get("name")] = &child;
        name_of_[clean_name(child.get("name"))] = child.get("name");
      } else if (child.name == "transmission") {
        transmissions_.push_back(&child);
      } else {
        leave_element(child);
      }
    }
    for (const XmlElement* joint : joints_) {
      if (const XmlElement* child = joint->child("child"))
        children_.insert(clean_name(child->get("link")));
      if (const XmlElement* parent = joint->child("parent");
          parent && parent->get("link") == "world")
        names_.insert("world");
    }
  }

  void leave_element(const XmlElement& element) {
    const std::string& name = element.name;
    if (name == "drake:linear_spring_damper" || name == "drake:linear_bushing_rpy" ||
        name == "drake:ball_constraint" || name == "loop_joint" || name == "drake:loop_joint" ||
        name == "drake:tendon_constraint")
      problems_.error(element.where, "<" + name +
                                         "> would change the motion and is not understood; write "
                                         "it into the imported model file");
    else
      report_.leave("<" + name + ">", element.where, no_effect_on_motion);
  }

  void read_transmissions() {
    for (const XmlElement* transmission : transmissions_) {
      const XmlElement* joint = transmission->child("joint");
      const XmlElement* actuator = transmission->child("actuator");
      if (!joint || !actuator) continue;
      double rotor = value_of(*actuator, "drake:rotor_inertia", 0, problems_);
      double gear = value_of(*actuator, "drake:gear_ratio", 1, problems_);
      if (const XmlElement* inertia = actuator->child("motorInertia"))
        rotor = text_number(*inertia, 0, problems_);
      if (const XmlElement* reduction = actuator->child("mechanicalReduction");
          reduction && rotor != 0)
        gear = text_number(*reduction, 1, problems_);
      if (rotor == 0)
        report_.leave("<transmission>", transmission->where, no_effect_on_motion);
      else if (!rotor_inertia_is_read)
        report_.leave("rotor inertias", transmission->where, rotor_reason);
      else
        rotor_[joint->get("name")] += rotor * gear * gear;
    }
  }

  void add_link(const XmlElement& link) {
    const std::string name = clean_name(link.get("name"));
    if (name.empty()) {
      problems_.error(link.where, "a <link> without a name");
      return;
    }
    if (name == "world") {
      if (link.child("inertial"))
        report_.leave("inertia of the link 'world'", link.where, "it is the world itself");
      return;
    }
    DraftInertia inertia;
    if (const XmlElement* inertial = link.child("inertial")) inertia = read_inertial(*inertial);
    DraftItem& body = context_.draft.add_body(name, inertia, link.where);
    set_shapes(body, read_visuals(link));
    for (const XmlElement& child : link.children)
      if (child.name == "collision")
        report_.leave("collision shapes", child.where, "contacts are not modelled");
      else if (child.name != "inertial" && child.name != "visual" && child.name != "contact" &&
               child.name != "self_collision_checking")
        report_.leave("<" + child.name + "> of links", child.where, no_effect_on_motion);
  }

  DraftInertia read_inertial(const XmlElement& inertial) {
    DraftInertia piece;
    if (const XmlElement* mass = inertial.child("mass"))
      piece.mass = read_number(*mass, "value", 0, problems_);
    else
      problems_.error(inertial.where, "<inertial> without a <mass>");
    if (const XmlElement* inertia = inertial.child("inertia")) {
      const char* const keys[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
      for (int k = 0; k < 6; ++k) piece.moments[k] = read_number(*inertia, keys[k], 0, problems_);
    }
    return placed(piece, read_origin(inertial, problems_));
  }

  std::vector<std::string> read_visuals(const XmlElement& link) {
    std::vector<std::string> shapes;
    for (const XmlElement& visual : link.children) {
      const XmlElement* geometry = visual.name == "visual" ? visual.child("geometry") : nullptr;
      if (!geometry || geometry->children.empty()) continue;
      const XmlElement& form = geometry->children[0];
      const DraftPose pose = read_origin(visual, problems_);
      if (form.name == "box") {
        const Vec3<double> size = read_triple(form, "size", {0, 0, 0}, problems_);
        if (size.x > 0 && size.y > 0 && size.z > 0)
          shapes.push_back(shape_text("box", {size.x, size.y, size.z}, pose));
      } else if (form.name == "cylinder" || form.name == "capsule") {
        const double r = read_number(form, "radius", 0, problems_),
                     l = read_number(form, "length", 0, problems_);
        if (r <= 0 || l <= 0) continue;
        if (form.name == "cylinder")
          shapes.push_back(shape_text("cylinder", {r, l}, pose));
        else
          for (std::string& text : capsule_texts(r, l, pose)) shapes.push_back(std::move(text));
      } else if (form.name == "sphere") {
        const double r = read_number(form, "radius", 0, problems_);
        if (r > 0) shapes.push_back(shape_text("sphere", {r}, pose));
      } else if (form.name == "mesh" && form.has("filename")) {
        Diagnostics wrong;  // a picture can do without
        const Vec3<double> scale = read_triple(form, "scale", {1, 1, 1}, wrong);
        const NamedMesh mesh =
            find_mesh(form.get("filename"), context_.folder, form.where, context_);
        if (wrong.has_errors() || scale.x * scale.y * scale.z == 0)
          report_.leave("meshes whose scale is no scale", form.where, no_effect_on_motion);
        else if (mesh.found)
          shapes.push_back(mesh_shape_text(mesh.name, scale, pose));
      } else {
        report_.leave(form.name + " shapes", form.where, no_effect_on_motion);
      }
    }
    report_.carry("shapes", static_cast<int>(shapes.size()));
    return shapes;
  }

  void hold_roots() {
    std::vector<const XmlElement*> roots;
    for (const XmlElement* link : links_) {
      const std::string name = clean_name(link->get("name"));
      if (!name.empty() && name != "world" && !children_.count(name)) roots.push_back(link);
    }
    const bool world_is_child = children_.count("world") > 0;
    if (roots.size() > 1)
      problems_.error(roots[1]->where, "two root links, '" + roots[0]->get("name") + "' and '" +
                                           roots[1]->get("name") +
                                           "': a robot has one link that is no joint's child");
    else if (roots.empty() && !names_.count("world"))
      problems_.error(root_.where,
                      "there is no root: every link is the child of a joint, so nothing says "
                      "where the robot stands");
    else if (!roots.empty() && !world_is_child)
      hold_root(clean_name(roots[0]->get("name")), {}, roots[0]->where, context_);
  }

  // "" after a complaint
  std::string link_of(const XmlElement& joint, const char* side) {
    const XmlElement* element = joint.child(side);
    if (!element || !element->has("link")) {
      problems_.error(joint.where,
                      "joint '" + joint.get("name") + "' without a <" + side + " link=\"..\"/>");
      return "";
    }
    const std::string name = clean_name(element->get("link"));
    if (names_.count(name) || name == "world") return name;
    const std::string near = nearest_name(name, {names_.begin(), names_.end()});
    problems_.error(
        element->find("link")->where,
        "unknown link '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    return "";
  }

  void add_joint(const XmlElement& element) {
    DraftJoint joint;
    joint.where = element.where;
    joint.name = clean_name(element.get("name"));
    joint.parent = link_of(element, "parent");
    joint.child = link_of(element, "child");
    if (joint.name.empty()) problems_.error(element.where, "a <joint> without a name");
    if (joint.parent.empty() || joint.child.empty() || joint.name.empty()) return;
    joint.in_parent = read_origin(element, problems_);
    set_type(element, joint);
    if (const auto rotor = rotor_.find(element.get("name"));
        rotor != rotor_.end() && joint.axes.size() == 1 && joint.type != "planar") {
      joint.rotor_inertia = number_text(rotor->second);
      report_.carry("rotor inertias");
    }
    context_.draft.joints.push_back(std::move(joint));
  }

  void set_type(const XmlElement& element, DraftJoint& joint) {
    static const std::map<std::string, const char*> types = {
        {"revolute", "revolute"}, {"continuous", "revolute"}, {"prismatic", "prismatic"},
        {"fixed", "fixed"},       {"floating", "free"},       {"planar", "planar"},
        {"ball", "spherical"},    {"universal", "universal"}, {"screw", "screw"}};
    const std::string type = element.get("type");
    const auto known = types.find(type);
    const bool extended = type == "ball" || type == "universal" || type == "screw";
    if (known == types.end() || (extended && element.name == "joint")) {
      problems_.error(element.has("type") ? element.find("type")->where : element.where,
                      "unknown joint type '" + type +
                          "'; expected revolute, continuous, prismatic, fixed, floating or planar");
      return;
    }
    joint.type = known->second;
    if (type != known->second) joint.comment = type;
    if (type == "universal")
      joint.axes = {{1, 0, 0}, {0, 1, 0}};  // of drake:joint
    else if (type != "fixed" && type != "floating" && type != "ball")
      joint.axes = {read_axis(element)};
    if (type == "screw")
      joint.pitch = value_of(element, "drake:screw_thread_pitch", 0, problems_) / (2 * M_PI);
    report_.carry(type + " joints");
  }

  Vec3<double> read_axis(const XmlElement& element) {
    const XmlElement* axis = element.child("axis");
    if (!axis) return {1, 0, 0};
    const Vec3<double> direction = read_triple(*axis, "xyz", {1, 0, 0}, problems_);
    if (norm(direction) == 0)
      problems_.error(axis->where, "the axis of joint '" + element.get("name") + "' is zero");
    return direction;
  }

  void add_dynamics(const XmlElement& element) {
    const std::string name = clean_name(element.get("name")), type = element.get("type");
    if (const XmlElement* dynamics = element.child("dynamics")) add_forces(name, type, *dynamics);
    if (const XmlElement* mimic = element.child("mimic")) add_follower(name, *mimic);
    if (const XmlElement* limit = element.child("limit")) {
      if (limit->has("lower") || limit->has("upper")) set_limits(name, type, *limit);
      if (limit->has("effort") || limit->has("velocity"))
        report_.leave("effort and velocity limits", limit->where, "forces are not cut off");
    }
    for (const XmlElement& child : element.children)
      for (const char* kind : {"safety_controller", "calibration", "drake:controller_gains"})
        if (child.name == kind)
          report_.leave(std::string("<") + kind + ">", child.where, no_effect_on_motion);
  }

  // A bound that is not written is zero.
  void set_limits(const std::string& name, const std::string& type, const XmlElement& limit) {
    const auto bound = [&](const char* side) -> std::optional<double> {
      if (limit.get(side).find("inf") != std::string::npos) return std::nullopt;
      return read_number(limit, side, 0, problems_);
    };
    const DraftStop limits{bound("lower"), bound("upper")};
    if (type == "continuous" || type == "fixed") return;
    for (DraftJoint& joint : context_.draft.joints) {
      if (joint.name != name) continue;
      if (type == "revolute" || type == "prismatic" || type == "screw")
        return add_limits(joint, 0, 1, limits, limit.where, context_);
      return report_.leave("limits of " + type + " joints", limit.where,
                           "they do not say which coordinate is meant");
    }
  }

  void add_forces(const std::string& joint, const std::string& type, const XmlElement& dynamics) {
    const double damping = read_number(dynamics, "damping", 0, problems_),
                 friction = read_number(dynamics, "friction", 0, problems_);
    if (type == "fixed" || (damping == 0 && friction == 0)) return;
    if (type == "floating") {
      problems_.error(dynamics.where, "damping or friction of the floating joint '" + joint +
                                          "' is not understood; write a force into the imported "
                                          "model file");
      return;
    }
    JointDynamics forces;
    if (damping != 0) forces.damping = number_text(damping);
    if (friction != 0) forces.friction = number_text(friction);
    add_joint_forces(joint, forces, dynamics.where, context_);
  }

  void add_follower(const std::string& joint, const XmlElement& mimic) {
    const std::string leader = mimic.get("joint");
    const auto found = joint_by_name_.find(leader);
    if (found == joint_by_name_.end()) {
      problems_.error(mimic.where, "joint '" + joint + "' follows the joint '" + leader +
                                       "', which is not there");
      return;
    }
    const double multiplier = read_number(mimic, "multiplier", 1, problems_),
                 offset = read_number(mimic, "offset", 0, problems_);
    const auto own = joint_by_name_.find(name_of_[joint]);
    if (own != joint_by_name_.end() && own->second->get("type") == "fixed") {
      report_.leave("mimic of fixed joints", mimic.where, "they cannot move");
    } else if (found->second->get("type") == "fixed") {  // the leader's coordinate is zero
      DraftItem& held = context_.draft.add_constraint("coupler", joint + "_follows", mimic.where);
      held.set("terms", "[[" + toml_text(joint) + ", 1]]");
      if (offset != 0) held.set("offset", number_text(offset));
      report_.carry("mimic joints");
    } else {
      add_mimic(joint, clean_name(leader), multiplier, offset, mimic.where, context_);
    }
  }

  const XmlElement& root_;
  ImportContext& context_;
  Diagnostics& problems_;
  ImportReport& report_;
  std::vector<const XmlElement*> links_, joints_, transmissions_;
  std::map<std::string, const XmlElement*> joint_by_name_;
  std::map<std::string, std::string> name_of_;  // as the file has it
  std::set<std::string> names_, children_;
  std::map<std::string, double> rotor_;
};

}  // namespace

void import_urdf(const XmlElement& root, ImportContext& context) {
  UrdfReader(root, context).read();
}

}  // namespace cartan::import
