#include "import/surface_mass.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cartan::import {
namespace {

using V = Vec3<double>;

void set_moments(DraftInertia& piece, double xx, double yy, double zz) {
  const double moments[6] = {xx, yy, zz, 0, 0, 0};
  std::copy(moments, moments + 6, piece.moments);
}

// One face after the other: points outside of some faces replace these by a cone to the horizon.
class HullBuilder {
 public:
  explicit HullBuilder(const std::vector<V>& points) : points_(points) {}

  Mesh build() {
    if (!start()) return {};
    for (int p = 0; p < static_cast<int>(points_.size()); ++p) add(p);
    Mesh hull;
    std::map<int, int> places;
    for (const Face& face : faces_) {
      std::array<int, 3> corners;
      for (int k = 0; k < 3; ++k) {
        const auto [place, is_new] =
            places.try_emplace(face.corner[k], static_cast<int>(hull.vertices.size()));
        if (is_new) hull.vertices.push_back(points_[face.corner[k]]);
        corners[k] = place->second;
      }
      hull.triangles.push_back(corners);
    }
    return hull;
  }

 private:
  struct Face {
    std::array<int, 3> corner;
    V normal;
    double offset = 0;
  };

  double height(const Face& face, int p) const {
    return dot(face.normal, points_[p]) - face.offset;
  }

  void add_face(int a, int b, int c) {
    Face face{{a, b, c}, cross(points_[b] - points_[a], points_[c] - points_[a]), 0};
    const double length = norm(face.normal);
    if (length > 0) face.normal = (1 / length) * face.normal;
    face.offset = dot(face.normal, points_[a]);
    faces_.push_back(face);
  }

  template <class Measure>
  int farthest(Measure&& measure, double& most) const {
    int best = 0;
    most = -1;
    for (int p = 0; p < static_cast<int>(points_.size()); ++p)
      if (const double m = measure(points_[p]); m > most) best = p, most = m;
    return best;
  }

  // A tetrahedron; false where there is none.
  bool start() {
    if (points_.size() < 4) return false;
    double extent = 0, most = 0;
    const int a = 0, b = farthest([&](const V&p) { return norm(p - points_[a]); }, extent);
    tolerance_ = 1e-12 * extent;
    const V along = points_[b] - points_[a];
    const int c = farthest([&](const V& p) { return norm(cross(along, p - points_[a])); }, most);
    if (!(most > tolerance_ * extent)) return false;
    const V normal = cross(along, points_[c] - points_[a]);
    const int d =
        farthest([&](const V& p) { return std::fabs(dot(normal, p - points_[a])); }, most);
    if (!(most > tolerance_ * norm(normal))) return false;
    const bool above = dot(normal, points_[d] - points_[a]) > 0;
    const int e = above ? c : b, f = above ? b : c;  // a, e, f: seen from outside, d is behind
    add_face(a, e, f);
    add_face(a, f, d);
    add_face(f, e, d);
    add_face(e, a, d);
    return true;
  }

  void add(int p) {
    const auto sees = [&](const Face& face) { return height(face, p) > tolerance_; };
    if (std::none_of(faces_.begin(), faces_.end(), sees)) return;
    std::vector<Face> kept;
    std::map<std::pair<int, int>, bool> edges;  // of the faces that p sees
    for (const Face& face : faces_) {
      if (!sees(face)) {
        kept.push_back(face);
        continue;
      }
      for (int k = 0; k < 3; ++k) edges[{face.corner[k], face.corner[(k + 1) % 3]}] = true;
    }
    faces_ = std::move(kept);
    for (const auto& [edge, seen] : edges)
      if (!edges.count({edge.second, edge.first})) add_face(edge.first, edge.second, p);
  }

  const std::vector<V>& points_;
  std::vector<Face> faces_;
  double tolerance_ = 0;
};

}  // namespace

Mesh convex_hull(const std::vector<V>& points) {
  return HullBuilder(points).build();
}

// Over a triangle of area A with corners v: integral of x x^T = A/12 (sum v v^T + (sum v)(sum
// v)^T).
ShellForm mesh_shell(const Mesh& mesh) {
  ShellForm form;
  V first;
  double second[6] = {0, 0, 0, 0, 0, 0};  // xx yy zz xy xz yz
  const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const V a = mesh.vertices[triangle[0]], b = mesh.vertices[triangle[1]],
            c = mesh.vertices[triangle[2]], sum = a + b + c;
    const double area = 0.5 * norm(cross(b - a, c - a));
    form.area += area;
    first += (area / 3) * sum;
    for (int k = 0; k < 6; ++k) {
      const int i = row[k], j = column[k];
      second[k] += area / 12 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
    }
  }
  form.unit.mass = 1;
  if (!(form.area > 0)) return form;
  const V center = (1 / form.area) * first;
  double p[6];
  for (int k = 0; k < 6; ++k) p[k] = second[k] / form.area - center[row[k]] * center[column[k]];
  form.unit.com = center;
  const double moments[6] = {p[1] + p[2], p[0] + p[2], p[0] + p[1], -p[3], -p[4], -p[5]};
  std::copy(moments, moments + 6, form.unit.moments);
  return form;
}

std::optional<ShellForm> primitive_shell(const std::string& type, const std::vector<double>& s) {
  ShellForm form;
  form.unit.mass = 1;
  if (type == "sphere") {
    const double moment = 2 * s[0] * s[0] / 3;
    form.area = 4 * M_PI * s[0] * s[0];
    set_moments(form.unit, moment, moment, moment);
    return form;
  }
  if (type == "box") {
    const double x = 2 * s[0], y = 2 * s[1], z = 2 * s[2];
    form.area = 2 * (y * z + x * z + x * y);
    const double fx = 2 * y * z / form.area, fy = 2 * x * z / form.area, fz = 2 * x * y / form.area;
    // mean squares of the coordinates over the six faces
    const double xx = fx * x * x / 4 + (fy + fz) * x * x / 12,
                 yy = fy * y * y / 4 + (fx + fz) * y * y / 12,
                 zz = fz * z * z / 4 + (fx + fy) * z * z / 12;
    set_moments(form.unit, yy + zz, xx + zz, xx + yy);
    return form;
  }
  if (type != "cylinder" && type != "capsule") return std::nullopt;
  const double r = s[0], h = s[1], side = 4 * M_PI * r * h;
  const bool round = type == "capsule";
  const double ends = round ? 4 * M_PI * r * r : 2 * M_PI * r * r;
  form.area = side + ends;
  const double a = side / form.area, e = ends / form.area;
  const double along = a * r * r + e * (round ? 2 * r * r / 3 : r * r / 2);
  const double across =
      a * (r * r / 2 + h * h / 3) + e * (round ? 2 * r * r / 3 + h * h + h * r : r * r / 4 + h * h);
  set_moments(form.unit, across, across, along);
  return form;
}

}  // namespace cartan::import
