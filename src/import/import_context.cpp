#include "import/import_context.h"

#include <filesystem>

#include "model/consent.h"

namespace cartan {
namespace fs = std::filesystem;

std::string shape_text(const char* form, const std::vector<double>& size, const DraftPose& pose) {
  std::string text = std::string("{ ") + form + " = " + list_text(size);
  if (pose.p.x != 0 || pose.p.y != 0 || pose.p.z != 0) text += ", at = " + list_text(pose.p);
  if (const std::string turned = rotation_text(pose); !turned.empty())
    text += ", rotate = " + turned;
  return text + " }";
}

std::vector<std::string> capsule_texts(double radius, double length, const DraftPose& pose) {
  std::vector<std::string> texts;
  if (length > 0) texts.push_back(shape_text("cylinder", {radius, length}, pose));
  for (double end : {-0.5, 0.5}) {
    DraftPose ball;
    ball.p = pose.p + rotate(pose.q, {0, 0, end * length});
    texts.push_back(shape_text("sphere", {radius}, ball));
  }
  return texts;
}

void set_shapes(DraftItem& body, const std::vector<std::string>& shapes) {
  if (shapes.empty()) return;
  if (shapes.size() == 1) {
    body.set("shape", shapes[0]);
    return;
  }
  std::string all;
  for (const std::string& shape : shapes) all += (all.empty() ? "" : ", ") + shape;
  body.set("shape", "[" + all + "]");
}

void add_joint_forces(const std::string& joint, const JointDynamics& dynamics, Location where,
                      ImportContext& context) {
  Draft& draft = context.draft;
  if (!dynamics.stiffness.empty()) {
    DraftItem& spring = draft.add_force("torsion", joint + "_spring", where);
    spring.set("joint", toml_text(joint)).set("stiffness", dynamics.stiffness);
    if (dynamics.rest != 0) spring.set("rest", number_text(dynamics.rest));
    context.report.carry("joint springs");
  }
  if (!dynamics.damping.empty()) {
    draft.add_force("torsion", joint + "_damper", where)
        .set("joint", toml_text(joint))
        .set("damping", dynamics.damping);
    context.report.carry("joint damping");
  }
  if (!dynamics.friction.empty()) {
    draft.add_force("friction", joint + "_friction", where)
        .set("joint", toml_text(joint))
        .set("coulomb", dynamics.friction);
    context.report.carry("dry friction");
  }
}

void add_mimic(const std::string& follower, const std::string& leader, double multiplier,
               double offset, Location where, ImportContext& context) {
  DraftItem& coupler = context.draft.add_constraint("coupler", follower + "_follows", where);
  coupler.set("terms", "[[" + toml_text(follower) + ", 1], [" + toml_text(leader) + ", " +
                           number_text(-multiplier) + "]]");
  if (offset != 0) coupler.set("offset", number_text(offset));
  context.report.carry("mimic joints");
}

void hold_root(const std::string& body, const DraftPose& pose, Location where,
               ImportContext& context, const std::string& joint_name) {
  DraftJoint joint;
  joint.name = context.draft.free_joint_name(joint_name);
  joint.type = context.options.free_base ? "free" : "fixed";
  joint.parent = "world";
  joint.child = body;
  joint.in_parent = pose;
  joint.where = where;
  joint.comment = "the file does not say what holds this body";
  if (context.options.free_base)
    context.report.note(where, "root '" + body + "' hangs on the free joint '" + joint.name +
                                   "', as --base free says");
  else
    context.report.note(
        where, "root '" + body + "' is taken as fixed to the world; --base free lets it move");
  context.draft.joints.push_back(std::move(joint));
}

std::string resolve_include(const std::string& file, Location where, ImportContext& context) {
  std::string named = file;
  for (const char* scheme : {"package://", "model://", "file://"}) {
    if (!named.starts_with(scheme)) continue;
    named = named.substr(std::string(scheme).size());
    if (std::string(scheme) == "file://") break;
    const std::size_t slash = named.find('/');
    const std::string package = named.substr(0, slash);
    for (const auto& [name, folder] : context.options.packages)
      if (name == package)
        return slash == std::string::npos ? folder : folder + named.substr(slash);
    context.problems.error(where, "'" + file + "' lies in the package '" + package +
                                      "'; say where that is with --package " + package + "=DIR");
    return "";
  }
  Consent consent;
  consent.any_path = context.options.any_path;
  consent.folders = context.options.allowed;
  const std::string folder = context.folder.empty() ? "." : context.folder;
  if (const std::string refusal = refuse_path(consent, folder, named); !refusal.empty()) {
    context.problems.error(where, refusal);
    return "";
  }
  const fs::path path = fs::path(named).is_absolute() ? fs::path(named) : fs::path(folder) / named;
  return path.string();
}

}  // namespace cartan
