#include "model/convex_hull.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace cartan::model {
namespace {

using V = Vec3<double>;

// One face after the other: points outside of some faces replace these by a cone to the horizon.
class HullBuilder {
 public:
  HullBuilder(const std::vector<V>& points, double within, std::size_t most)
      : points_(points), within_(within), most_(most) {}

  Mesh build() {
    if (!start()) return {};
    add_extremes();
    for (int p = 0; p < static_cast<int>(points_.size()) && faces_.size() <= most_; ++p) add(p);
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
    tolerance_ = within_ * extent;
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

  // First what is farthest out in many directions (even on the sphere, by the golden angle):
  // points inside of faces and edges are then on the hull that there is, and become no corners.
  void add_extremes() {
    constexpr int directions = 96;
    for (int k = 0; k < directions && points_.size() > directions; ++k) {
      const double z = (2 * k + 1.0) / directions - 1, r = std::sqrt(1 - z * z),
                   turn = 2.399963 * k;
      const V d{r * std::cos(turn), r * std::sin(turn), z};
      int best = 0;
      for (int p = 1; p < static_cast<int>(points_.size()); ++p)
        if (dot(d, points_[p]) > dot(d, points_[best])) best = p;
      add(best);
    }
  }

  void add(int p) {
    const auto sees = [&](const Face& face) { return height(face, p) > tolerance_; };
    if (std::none_of(faces_.begin(), faces_.end(), sees)) return;
    std::map<std::pair<int, int>, bool> edges;  // of the faces that p sees
    std::erase_if(faces_, [&](const Face& face) {
      if (!sees(face)) return false;
      for (int k = 0; k < 3; ++k) edges[{face.corner[k], face.corner[(k + 1) % 3]}] = true;
      return true;
    });
    for (const auto& [edge, seen] : edges)
      if (!edges.count({edge.second, edge.first})) add_face(edge.first, edge.second, p);
  }

  const std::vector<V>& points_;
  std::vector<Face> faces_;
  const double within_;
  const std::size_t most_;
  double tolerance_ = 0;
};

}  // namespace

Mesh convex_hull(const std::vector<V>& points, double within, std::size_t most) {
  return HullBuilder(points, within, most).build();
}

}  // namespace cartan::model
