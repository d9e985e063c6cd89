// Links of SDF: inertia, shapes, and what holds them.
#include <cmath>

#include "import/sdf_reader.h"
#include "import/sdf_values.h"

namespace cartan::import {
namespace {

struct SolidForm {
  double volume = 0;
  DraftInertia unit;
  std::vector<std::string> shapes;
  bool known = false;
};

SolidForm solid_form(const XmlElement& geometry, const DraftPose& pose, Diagnostics& problems) {
  SolidForm form;
  for (const XmlElement& each : geometry.children) {
    const double r = child_number(each, "radius", 0, problems),
                 l = child_number(each, "length", 0, problems);
    const XmlElement* size = each.child("size");
    if (each.name == "box" && size) {
      const Vec3<double> s = text_triple(*size, {0, 0, 0}, problems);
      if (s.x <= 0 || s.y <= 0 || s.z <= 0) continue;
      form.volume = s.x * s.y * s.z;
      form.unit = solid_box(1, s);
      form.shapes = {shape_text("box", {s.x, s.y, s.z}, pose)};
    } else if (each.name == "sphere" && r > 0) {
      form.volume = 4 * M_PI / 3 * r * r * r;
      form.unit = solid_ellipsoid(1, {r, r, r});
      form.shapes = {shape_text("sphere", {r}, pose)};
    } else if (each.name == "cylinder" && r > 0 && l > 0) {
      form.volume = M_PI * r * r * l;
      form.unit = solid_cylinder(1, r, l);
      form.shapes = {shape_text("cylinder", {r, l}, pose)};
    } else if (each.name == "capsule" && r > 0 && l >= 0) {
      form.volume = M_PI * r * r * (l + 4 * r / 3);
      form.unit = solid_capsule(1, r, l);
      form.shapes = capsule_texts(r, l, pose);
    } else if (each.name == "ellipsoid" && each.child("radii")) {
      const Vec3<double> s = text_triple(*each.child("radii"), {0, 0, 0}, problems);
      if (s.x <= 0 || s.y <= 0 || s.z <= 0) continue;
      form.volume = 4 * M_PI / 3 * s.x * s.y * s.z;
      form.unit = solid_ellipsoid(1, s);
    } else {
      continue;
    }
    form.known = true;
  }
  return form;
}

}  // namespace

void SdfReader::add_link(Link& link) {
  const XmlElement& element = *link.element;
  DraftPose in_world;
  if (!frames_.resolve(link.name, "", in_world)) {
    problems_.error(element.where, "the pose of link '" + link.name +
                                       "' refers to a frame that is not there, or to itself");
    return;
  }
  if (child_flag(element, "kinematic", false))
    problems_.error(element.where, "link '" + link.name +
                                       "' is kinematic: it moves as a program "
                                       "says, which is not understood");
  link.inertia = read_inertia(element, link.name);
  const std::string name = clean_name(link.name);
  set_shapes(context_.draft.add_body(name, link.inertia, element.where), read_shapes(element));
  if (link.fixed) {
    DraftJoint joint;
    joint.name = context_.draft.free_joint_name(name + "_static");
    joint.type = "fixed";
    joint.parent = "world";
    joint.child = name;
    joint.in_parent = in_world;
    joint.where = element.where;
    context_.draft.joints.push_back(std::move(joint));
    report_.carry("static links");
  }
  const bool falls =
      child_flag(element, "gravity", true) && child_flag(element, "enable_gravity", true);
  if (!falls && !link.fixed && link.inertia.mass > 0) {
    context_.draft.add_force("wrench", name + "_no_gravity", element.where)
        .set("body", toml_text(name))
        .set("at", list_text(link.inertia.com))
        .set("force", list_text(-link.inertia.mass * *context_.draft.gravity));
    report_.carry("links without gravity");
  }
  for (const XmlElement& child : element.children) {
    if (child.name == "collision")
      report_.leave("collision shapes", child.where, "contacts are not modelled");
    else if (child.name == "velocity_decay")
      report_.leave("<velocity_decay>", child.where, "it is a setting of one engine");
    else if (acts_on_motion(child.name))
      problems_.error(child.where, "<" + child.name +
                                       "> is not understood, and the motion "
                                       "without it would be another one");
    else if (child.name == "sensor" || child.name == "light" || child.name == "projector" ||
             child.name == "audio_source" || child.name == "battery" ||
             child.name == "particle_emitter")
      report_.leave("<" + child.name + ">", child.where, no_effect_on_motion);
  }
}

DraftInertia SdfReader::read_inertia(const XmlElement& link, const std::string& name) {
  const XmlElement* inertial = link.child("inertial");
  DraftInertia piece;
  piece.mass = 1;
  for (int k = 0; k < 3; ++k) piece.moments[k] = 1;
  if (!inertial) {
    report_.note(link.where,
                 "link '" + name + "' states no inertia: 1 kg and 1 kg m2, the format's default");
    return piece;
  }
  if (inertial->child("fluid_added_mass"))
    problems_.error(inertial->child("fluid_added_mass")->where,
                    "added mass of a fluid acts on the motion and is not modelled");
  if (read_flag(inertial->get("auto"), false)) return auto_inertia(link, *inertial, name);
  piece.mass = child_number(*inertial, "mass", 1, problems_);
  if (const XmlElement* inertia = inertial->child("inertia")) {
    const char* const keys[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int k = 0; k < 6; ++k)
      piece.moments[k] = child_number(*inertia, keys[k], k < 3 ? 1 : 0, problems_);
  } else {
    report_.note(inertial->where, "link '" + name +
                                      "' states a mass without an inertia: 1 kg m2, "
                                      "the format's default");
  }
  std::string ignored;
  return placed(piece, read_pose(*inertial, "", "", ignored));
}

// From the collision shapes by density, scaled to the mass where one is stated.
DraftInertia SdfReader::auto_inertia(const XmlElement& link, const XmlElement& inertial,
                                     const std::string& name) {
  const double usual = child_number(inertial, "density", 1000, problems_);
  std::vector<DraftInertia> pieces;
  for (const XmlElement& collision : link.children) {
    const XmlElement* geometry =
        collision.name == "collision" ? collision.child("geometry") : nullptr;
    if (!geometry) continue;
    std::string ignored;
    const DraftPose pose = read_pose(collision, "", "", ignored);
    const SolidForm form = solid_form(*geometry, pose, problems_);
    if (!form.known) {
      problems_.error(collision.where, "the mass of link '" + name +
                                           "' comes from a shape that is not read; state its "
                                           "<inertial>");
      return {};
    }
    DraftInertia piece = form.unit;
    piece.mass = child_number(collision, "density", usual, problems_) * form.volume;
    for (double& moment : piece.moments) moment *= piece.mass;
    pieces.push_back(placed(piece, pose));
  }
  DraftInertia total = sum(pieces);
  if (const double mass = child_number(inertial, "mass", 0, problems_);
      mass > 0 && total.mass > 0) {
    for (double& moment : total.moments) moment *= mass / total.mass;
    total.mass = mass;
  }
  report_.carry("inertias from shapes");
  return total;
}

// "" where there is nothing to be seen, which the report tells.
std::string SdfReader::mesh_shape(const XmlElement& element, const DraftPose& pose) {
  const XmlElement* uri = element.child("uri");
  const XmlElement* scale = element.child("scale");
  if (!uri || element.child("submesh")) {
    report_.leave("parts of meshes", element.where, no_effect_on_motion);
    return "";
  }
  const Vec3<double> factors =
      scale ? text_triple(*scale, {1, 1, 1}, problems_) : Vec3<double>{1, 1, 1};
  const NamedMesh mesh =
      find_mesh(trimmed(uri->text), folder_of(uri->where, context_), uri->where, context_);
  if (!mesh.found || factors.x * factors.y * factors.z == 0) return "";
  return mesh_shape_text(mesh.name, factors, pose);
}

std::vector<std::string> SdfReader::read_shapes(const XmlElement& link) {
  std::vector<std::string> shapes;
  for (const XmlElement& visual : link.children) {
    const XmlElement* geometry = visual.name == "visual" ? visual.child("geometry") : nullptr;
    if (!geometry) continue;
    std::string relative_to;
    const DraftPose pose = read_pose(visual, "", "", relative_to);
    SolidForm form = solid_form(*geometry, pose, problems_);
    if (const XmlElement* mesh = geometry->child("mesh"); mesh && relative_to.empty()) {
      if (const std::string shape = mesh_shape(*mesh, pose); !shape.empty())
        shapes.push_back(shape);
      continue;
    }
    if (form.shapes.empty() || !relative_to.empty())
      report_.leave("mesh and other shapes", visual.where, no_effect_on_motion);
    else
      for (std::string& shape : form.shapes) shapes.push_back(std::move(shape));
  }
  report_.carry("shapes", static_cast<int>(shapes.size()));
  return shapes;
}

// A group of links that no joint ties to the world is held at its first link that is no child.
void SdfReader::hold_components() {
  std::map<std::string, std::string> group;  // union-find over links
  const auto find = [&](std::string name) {
    while (!group[name].empty() && group[name] != name) name = group[name];
    return name;
  };
  group["world"] = "world";
  for (const Link& link : links_) group[clean_name(link.name)] = clean_name(link.name);
  std::set<std::string> children;
  for (const DraftItem& body : context_.draft.bodies) {
    const std::string name = body.lines[0].value.substr(1, body.lines[0].value.size() - 2);
    if (group[name].empty()) group[name] = name;
  }
  for (const DraftJoint& joint : context_.draft.joints) {
    children.insert(joint.child);
    const std::string a = find(joint.parent), b = find(joint.child);
    if (b == "world")
      group[a] = b;
    else if (a != b)
      group[b] = a;
  }
  for (int pass = 0; pass < 2; ++pass)  // first those that are no child
    for (const Link& link : links_) {
      const std::string name = clean_name(link.name);
      if (find(name) == find("world") || (pass == 0 && children.count(name))) continue;
      DraftPose in_world;
      frames_.resolve(link.name, "", in_world);
      hold_root(name, in_world, link.element->where, context_);
      group[find(name)] = find("world");
    }
}

}  // namespace cartan::import
