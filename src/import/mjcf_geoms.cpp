// Mass properties of MJCF bodies: as stated, or from their geoms by density.
#include <Eigen/Eigenvalues>
#include <cmath>

#include "import/mjcf_reader.h"
#include "import/surface_mass.h"

namespace cartan::import {
namespace {

struct GeomForm {
  double volume = 0;  // or area, of a shell
  DraftInertia unit;  // of mass one
};

bool is_solid(const std::string& type) {
  return type == "sphere" || type == "capsule" || type == "cylinder" || type == "box" ||
         type == "ellipsoid";
}

// Between two ends the length is known, and box and ellipsoid are as deep as they are wide.
int least_sizes(const std::string& type, bool has_ends) {
  if (type == "sphere" || has_ends) return 1;
  return type == "capsule" || type == "cylinder" ? 2 : 3;
}

// Sizes are radii and half lengths.
GeomForm form_of(const std::string& type, const std::vector<double>& s) {
  GeomForm form;
  if (type == "sphere") {
    form.volume = 4 * M_PI / 3 * s[0] * s[0] * s[0];
    form.unit = solid_ellipsoid(1, {s[0], s[0], s[0]});
  } else if (type == "capsule") {
    form.volume = M_PI * s[0] * s[0] * (2 * s[1] + 4 * s[0] / 3);
    form.unit = solid_capsule(1, s[0], 2 * s[1]);
  } else if (type == "cylinder") {
    form.volume = 2 * M_PI * s[0] * s[0] * s[1];
    form.unit = solid_cylinder(1, s[0], 2 * s[1]);
  } else if (type == "box") {
    form.volume = 8 * s[0] * s[1] * s[2];
    form.unit = solid_box(1, {2 * s[0], 2 * s[1], 2 * s[2]});
  } else {
    form.volume = 4 * M_PI / 3 * s[0] * s[1] * s[2];
    form.unit = solid_ellipsoid(1, {s[0], s[1], s[2]});
  }
  return form;
}

void draw_geom(const std::string& type, const std::vector<double>& s, const DraftPose& pose,
               std::vector<std::string>& shapes) {
  if (type == "sphere") shapes.push_back(shape_text("sphere", {s[0]}, pose));
  if (type == "cylinder") shapes.push_back(shape_text("cylinder", {s[0], 2 * s[1]}, pose));
  if (type == "box") shapes.push_back(shape_text("box", {2 * s[0], 2 * s[1], 2 * s[2]}, pose));
  if (type == "capsule")
    for (std::string& text : capsule_texts(s[0], 2 * s[1], pose)) shapes.push_back(std::move(text));
}

}  // namespace

DraftInertia MjcfReader::read_inertial(const XmlElement& inertial) {
  DraftInertia piece;
  piece.mass = read_number(inertial, "mass", 0, problems_);
  const DraftPose pose = read_pose(inertial);
  if (const auto full = read_numbers(inertial, "fullinertia", 6, 6, problems_); !full.empty()) {
    for (int k = 0; k < 6; ++k) piece.moments[k] = full[k];
    piece.com = pose.p;
    return piece;
  }
  if (const auto diagonal = read_numbers(inertial, "diaginertia", 3, 3, problems_);
      !diagonal.empty())
    for (int k = 0; k < 3; ++k) piece.moments[k] = diagonal[k];
  return placed(piece, pose);
}

DraftInertia MjcfReader::inertia_of(const Contents& contents, const std::string& body, Location) {
  DraftInertia result;
  const bool from_geoms =
      inertia_from_geom_ == "true" || (inertia_from_geom_ == "auto" && !contents.inertial);
  if (!from_geoms) {
    if (contents.inertial) result = read_inertial(*contents.inertial);
  } else {
    std::vector<DraftInertia> pieces;
    std::vector<std::string> unused;
    for (const auto& [merged, around] : contents.geoms)
      add_geom(merged, around, body, true, pieces, unused);
    if (!pieces.empty()) {
      result = sum(pieces);
      report_.carry("inertias from geoms");
    }
  }
  bound_inertia(result);
  return result;
}

// With `counts` only its mass is looked at, without only its shape is drawn.
bool MjcfReader::add_geom(const MergedElement& merged, const Around& around,
                          const std::string& body, bool counts, std::vector<DraftInertia>& pieces,
                          std::vector<std::string>& shapes) {
  const XmlElement& geom = merged.element;
  const bool has_mesh = geom.has("mesh");
  const std::string type = geom.has("type") ? geom.get("type") : has_mesh ? "mesh" : "sphere";
  const double group = read_number(geom, "group", 0, problems_);
  if (!counts) {
    const bool collides = read_number(geom, "contype", 1, problems_) != 0 ||
                          read_number(geom, "conaffinity", 1, problems_) != 0;
    if (collides) report_.leave("collision shapes", geom.where, "contacts are not modelled");
    if (group > 2) return true;
    if (type == "mesh") {
      const std::string text = mesh_geom_text(geom, compose(around.frame, read_pose(geom)));
      if (!text.empty()) shapes.push_back(text);
      return true;
    }
    if (!is_solid(type) || type == "ellipsoid" || has_mesh) {
      report_.leave(type + " shapes", geom.where, no_effect_on_motion);
      return true;
    }
  }
  if (counts && (group < group_range_[0] || group > group_range_[1])) return true;
  const bool stated = geom.has("mass");
  const double mass = read_number(geom, "mass", 0, problems_),
               density = read_number(geom, "density", 1000, problems_);
  if (counts && (stated ? mass == 0 : density == 0)) return true;
  if (!is_solid(type) || has_mesh) {
    if (type == "plane" || type == "hfield") return true;
    if (type == "mesh")
      return add_mesh_inertia(geom, compose(around.frame, read_pose(geom)), body, pieces);
    problems_.error(geom.where, "the mass of body '" + body + "' comes from a " +
                                    (has_mesh ? "mesh" : type) +
                                    ", which is not read; give the body an <inertial>, or the "
                                    "geom mass=\"0\"");
    return false;
  }
  std::vector<double> size = read_numbers(geom, "size", 1, 3, problems_);
  DraftPose pose = compose(around.frame, read_pose(geom));
  const auto ends = read_numbers(geom, "fromto", 6, 6, problems_);
  const bool has_ends = !ends.empty() && type != "sphere";
  if (static_cast<int>(size.size()) < least_sizes(type, has_ends)) {
    if (counts || !geom.has("size"))
      problems_.error(geom.where, "a " + type + " needs " +
                                      std::to_string(least_sizes(type, has_ends)) + " sizes");
    return false;
  }
  if (has_ends) {
    const Vec3<double> a{ends[0], ends[1], ends[2]}, b{ends[3], ends[4], ends[5]};
    const double half = norm(b - a) / 2;
    if (half == 0) {
      problems_.error(geom.where, "'fromto' has two equal points");
      return false;
    }
    DraftPose between;
    between.p = 0.5 * (a + b);
    between.q = quaternion_to_direction(a - b);
    pose = compose(around.frame, between);
    if (type == "capsule" || type == "cylinder")
      size = {size[0], half};
    else
      size = {size[0], size[0], half};
  }
  size.resize(3);
  for (int k = 0; k < least_sizes(type, false); ++k)
    if (size[k] <= 0) {
      problems_.error(geom.where, "the sizes of a " + type + " must be positive");
      return false;
    }
  if (!counts) {
    draw_geom(type, size, pose, shapes);
    return true;
  }
  GeomForm form;
  if (geom.get("shellinertia") == "true") {
    const std::optional<ShellForm> shell = primitive_shell(type, size);
    if (!shell) {
      problems_.error(geom.where, "the mass of body '" + body + "' comes from the shell of an " +
                                      type +
                                      ", which has no closed form; give the body an "
                                      "<inertial>");
      return false;
    }
    form = {shell->area, shell->unit};  // `density` is one of the surface
  } else {
    form = form_of(type, size);
  }
  DraftInertia piece = form.unit;
  const double m = stated ? mass : density * form.volume;
  piece.mass = m;
  for (double& moment : piece.moments) moment *= m;
  pieces.push_back(placed(piece, pose));
  return true;
}

// boundmass, boundinertia and balanceinertia of the compiler, in principal axes.
void MjcfReader::bound_inertia(DraftInertia& inertia) const {
  if (bound_mass_ > 0) inertia.mass = std::max(inertia.mass, bound_mass_);
  if (bound_inertia_ <= 0 && !balance_) return;
  const double* m = inertia.moments;
  Eigen::Matrix3d full;
  full << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(full);
  const Eigen::Vector3d own = solver.eigenvalues();
  Eigen::Vector3d d = own.cwiseMax(bound_inertia_);
  if (balance_ && d[0] + d[1] < d[2]) d.setConstant(d.mean());
  if (d == own) return;
  const Eigen::Matrix3d bound =
      solver.eigenvectors() * d.asDiagonal() * solver.eigenvectors().transpose();
  const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k) inertia.moments[k] = bound(rows[k], columns[k]);
}

}  // namespace cartan::import
