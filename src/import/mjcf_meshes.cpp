// Meshes of MJCF: what is seen of them, and the mass of bodies that is said by them alone. The
// vertices of a mesh v become S R^T (v - p) with its scale S, refquat R and refpos p.
#include <cmath>
#include <filesystem>

#include "import/mjcf_reader.h"
#include "import/surface_mass.h"
#include "model/convex_hull.h"

namespace cartan::import {
namespace fs = std::filesystem;

void MjcfReader::read_assets(const XmlElement& section) {
  for (const XmlElement& asset : section.children) {
    if (asset.name != "mesh") {
      report_.leave("<" + asset.name + "> of <asset>", asset.where, no_effect_on_motion);
      continue;
    }
    const MergedElement merged = defaults_.merge(asset, "mesh", "", problems_);
    const XmlElement& element = merged.element;
    MjcfMesh mesh;
    mesh.where = asset.where;
    mesh.inertia = element.has("inertia") ? element.get("inertia") : "legacy";
    mesh.scale = read_triple(element, "scale", {1, 1, 1}, problems_);
    if (mesh.scale.x * mesh.scale.y * mesh.scale.z == 0) mesh.refusal = "its scale is zero";
    const auto turn = read_numbers(element, "refquat", 4, 4, problems_);
    const Vec3<double> from = read_triple(element, "refpos", {0, 0, 0}, problems_);
    Quat<double> q;
    if (!turn.empty()) q = {turn[0], turn[1], turn[2], turn[3]};
    if (norm(q) == 0) q = {};
    mesh.pose.q = conjugate(normalized(q));
    const Vec3<double> back = rotate(mesh.pose.q, from);
    for (int k = 0; k < 3; ++k) mesh.pose.p[k] = -mesh.scale[k] * back[k];
    const bool turned = q.x != 0 || q.y != 0 || q.z != 0;
    const bool even = mesh.scale.x == mesh.scale.y && mesh.scale.y == mesh.scale.z;
    if (turned && !even) mesh.refusal = "it is turned, then scaled unevenly";
    std::string file = element.get("file");
    if (element.has("vertex"))
      read_written_mesh(element, mesh);
    else if (file.empty())
      mesh.refusal = "it has no file and no vertices: made by a rule";
    if (strip_path_) file = fs::path(file).filename().string();
    const std::string folder = mesh_folder_.empty() ? asset_folder_ : mesh_folder_;
    mesh.file = fs::path(file).is_absolute() || folder.empty()
                    ? file
                    : (fs::path(folder) / file).lexically_normal().string();
    const std::string name = element.get("name");
    meshes_[name.empty() ? fs::path(file).stem().string() : name] = mesh;
  }
}

// Vertices and faces as numbers; without faces the convex hull.
void MjcfReader::read_written_mesh(const XmlElement& element, MjcfMesh& mesh) {
  constexpr int most = 3000000;
  const auto x = read_numbers(element, "vertex", 12, most, problems_);
  const auto faces = read_numbers(element, "face", 3, most, problems_);
  if (x.size() % 3 != 0 || faces.size() % 3 != 0) {
    mesh.refusal = "its numbers do not come in threes";
    return;
  }
  std::vector<Vec3<double>> points, corners;
  for (std::size_t k = 0; k + 2 < x.size(); k += 3) points.push_back({x[k], x[k + 1], x[k + 2]});
  if (faces.empty()) {
    mesh.written = std::make_shared<Mesh>(convex_hull(points));
  } else {
    for (const double index : faces) {
      if (!(index >= 0 && index < static_cast<double>(points.size())) ||
          index != std::floor(index)) {
        mesh.refusal = "a face names a vertex that is not there";
        return;
      }
      corners.push_back(points[static_cast<std::size_t>(index)]);
    }
    mesh.written = std::make_shared<Mesh>(make_mesh(corners));
  }
  if (mesh.written->triangles.empty()) mesh.refusal = "its points lie in a plane";
}

const MjcfMesh* MjcfReader::find_mesh_of(const XmlElement& geom) const {
  const auto found = meshes_.find(geom.get("mesh"));
  return found == meshes_.end() ? nullptr : &found->second;
}

NamedMesh MjcfReader::load_mesh(const MjcfMesh& mesh, Location where) {
  NamedMesh none;
  if (mesh.refusal.empty() && mesh.written) {
    none.found = mesh.written;
    return none;
  }
  if (mesh.refusal.empty()) return find_mesh(mesh.file, context_.folder, where, context_);
  none.problem = mesh.refusal;
  report_.leave("meshes that cannot be read", where,
                std::string(no_effect_on_motion) + " (" + mesh.refusal + ")");
  return none;
}

std::string MjcfReader::mesh_geom_text(const XmlElement& geom, const DraftPose& pose) {
  const MjcfMesh* mesh = find_mesh_of(geom);
  if (!mesh) {
    report_.leave("meshes that are not there", geom.where, no_effect_on_motion);
    return "";
  }
  if (mesh->written) {
    report_.leave("pictures of meshes that are written out", geom.where,
                  std::string(no_effect_on_motion) +
                      "; a body without other shapes is drawn as a box of its inertia");
    return "";
  }
  const NamedMesh named = load_mesh(*mesh, geom.where);
  return named.found ? mesh_shape_text(named.name, mesh->scale, compose(pose, mesh->pose)) : "";
}

// Mass spread over the triangles; `density` is one of the surface.
DraftInertia MjcfReader::mesh_shell_inertia(const MjcfMesh& mesh, const Mesh& found,
                                            const XmlElement& geom) {
  Mesh scaled = found;
  for (Vec3<double>& v : scaled.vertices)
    for (int k = 0; k < 3; ++k) v[k] *= mesh.scale[k];
  const ShellForm form = mesh_shell(scaled);
  DraftInertia piece = form.unit;
  piece.mass = geom.has("mass") ? read_number(geom, "mass", 0, problems_)
                                : read_number(geom, "density", 1000, problems_) * form.area;
  for (double& moment : piece.moments) moment *= piece.mass;
  return piece;
}

// By density over the inside of a closed mesh or of its convex hull, or the stated mass spread over
// it.
bool MjcfReader::add_mesh_inertia(const XmlElement& geom, const DraftPose& pose,
                                  const std::string& body, std::vector<DraftInertia>& pieces) {
  const auto refuse = [&](const std::string& why) {
    problems_.error(geom.where, "the mass of body '" + body + "' comes from the mesh '" +
                                    geom.get("mesh") + "': " + why +
                                    "; give the body an <inertial>, or the geom mass=\"0\"");
    return false;
  };
  const MjcfMesh* mesh = find_mesh_of(geom);
  if (!mesh) return refuse("there is no such mesh in <asset>");
  const NamedMesh named = load_mesh(*mesh, geom.where);
  if (!named.found) return refuse(named.problem);
  if (mesh->inertia == "shell") {
    pieces.push_back(
        placed(mesh_shell_inertia(*mesh, *named.found, geom), compose(pose, mesh->pose)));
    report_.carry("inertias from meshes");
    return true;
  }
  MeshSolid solid;
  const bool hull = mesh->inertia == "convex";
  const Mesh convex = hull ? convex_hull(named.found->vertices) : Mesh{};
  if (hull && convex.triangles.empty()) return refuse("its points lie in a plane");
  if (const std::string open = calc_mesh_solid(hull ? convex : *named.found, solid); !open.empty())
    return refuse(open);
  if (mesh->inertia == "legacy")
    report_.note(geom.where, "the mass of body '" + body +
                                 "' is that of the inside of its mesh; MuJoCo adds up pyramids "
                                 "instead unless inertia=\"exact\", which differs where the mesh "
                                 "is not convex");
  const Vec3<double>& s = mesh->scale;
  const double factor = std::abs(s.x * s.y * s.z), volume = factor * solid.volume;
  const double mass = geom.has("mass") ? read_number(geom, "mass", 0, problems_)
                                       : read_number(geom, "density", 1000, problems_) * volume;
  const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double p[6];
  for (int k = 0; k < 6; ++k)
    p[k] = mass / volume * factor * s[row[k]] * s[column[k]] * solid.second[k];
  DraftInertia piece;
  piece.mass = mass;
  for (int k = 0; k < 3; ++k) piece.com[k] = s[k] * solid.center[k];
  const double moments[6] = {p[1] + p[2], p[0] + p[2], p[0] + p[1], -p[3], -p[4], -p[5]};
  std::copy(moments, moments + 6, piece.moments);
  pieces.push_back(placed(piece, compose(pose, mesh->pose)));
  report_.carry("inertias from meshes");
  return true;
}

}  // namespace cartan::import
