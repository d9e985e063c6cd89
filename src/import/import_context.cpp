#include "import/import_context.h"

#include <algorithm>
#include <filesystem>

#include "core/source_files.h"
#include "model/consent.h"

namespace cartan::import {
namespace fs = std::filesystem;

namespace {

// ", at = [..], rotate = {..}"
std::string placed_text(const DraftPose& pose) {
  std::string text;
  if (pose.p.x != 0 || pose.p.y != 0 || pose.p.z != 0) text += ", at = " + list_text(pose.p);
  if (const std::string turned = rotation_text(pose); !turned.empty())
    text += ", rotate = " + turned;
  return text;
}

}  // namespace

std::string shape_text(const char* form, const std::vector<double>& size, const DraftPose& pose) {
  return std::string("{ ") + form + " = " + list_text(size) + placed_text(pose) + " }";
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
  context.followers.push_back({follower, leader, multiplier, offset});
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

namespace {

Consent import_consent(const ImportOptions& options) {
  Consent consent;
  consent.any_path = options.any_path;
  consent.folders = options.allowed;
  consent.packages = options.packages;
  return consent;
}

bool is_relative_file(const std::string& file) {
  return file.find("://") == std::string::npos && !fs::path(file).is_absolute();
}

// A path from one folder for another one.
std::string path_from(const std::string& file, const std::string& folder,
                      const std::string& other) {
  const auto whole = [](const fs::path& path) {
    std::error_code error;
    return fs::absolute(path.empty() ? fs::path(".") : path, error).lexically_normal();
  };
  return whole(fs::path(folder) / file).lexically_relative(whole(other)).string();
}

}  // namespace

std::string folder_of(Location where, const ImportContext& context) {
  const int file = file_of_place(where);
  return file == 0 ? context.folder : fs::path(source_file_name(file)).parent_path().string();
}

NamedMesh find_mesh(const std::string& file, const std::string& folder, Location where,
                    ImportContext& context) {
  if (!context.meshes) context.meshes.emplace(context.folder, import_consent(context.options));
  NamedMesh mesh;
  std::string plain = file.starts_with("file://") ? file.substr(7) : file;
  std::replace(plain.begin(), plain.end(), '\\', '/');
  mesh.name = is_relative_file(plain) ? path_from(plain, folder, context.folder) : plain;
  const MeshFiles::Entry& entry = context.meshes->find(mesh.name);
  mesh.found = entry.mesh;
  mesh.problem = entry.problem;
  if (mesh.found) {
    if (!context.options.text_folder.empty() && is_relative_file(mesh.name))
      mesh.name = path_from(mesh.name, context.folder, context.options.text_folder);
    if (mesh.name.starts_with("..") && !context.meshes_outside) {
      context.meshes_outside = true;
      context.report.note(where,
                          "meshes lie outside the folder of the model file: commands read "
                          "them with --allow-path DIR");
    }
    return mesh;
  }
  const char* kind = "meshes that cannot be read";
  if (!is_mesh_file(plain))
    kind = "meshes in other formats than STL and OBJ";
  else if (entry.problem.find(consent_phrase) != std::string::npos)
    kind = "meshes outside the folder of the model";
  else if (entry.missing)
    kind =
        plain.find("://") == std::string::npos ? "meshes that are not there" : "meshes of packages";
  context.report.leave(kind, where,
                       "no effect on the motion; a body without other shapes is drawn as a box of "
                       "its inertia (" +
                           entry.problem + ")");
  return mesh;
}

std::string mesh_shape_text(const std::string& name, const Vec3<double>& scale,
                            const DraftPose& pose) {
  std::string text = "{ mesh = " + toml_text(name);
  if (scale.x != 1 || scale.y != 1 || scale.z != 1)
    text += ", scale = " +
            (scale.x == scale.y && scale.y == scale.z ? number_text(scale.x) : list_text(scale));
  return text + placed_text(pose) + " }";
}

std::string resolve_include(const std::string& file, Location where, ImportContext& context) {
  const FoundPath found = find_path(import_consent(context.options), context.folder, file);
  if (found.problem.empty()) return found.path;
  std::string problem = found.problem;
  if (const std::size_t at = problem.find("(package "); found.unknown_package && at != problem.npos)
    problem.insert(at + 1, "--");
  context.problems.error(where, problem);
  return "";
}

}  // namespace cartan::import
