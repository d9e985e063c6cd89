// Where two bodies with plane faces touch, once the axis along which they part is known.
#include <algorithm>
#include <cmath>

#include "mechanics/stepping/flat_solid.h"

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

// What of a polygon lies where n . x <= most.
void cut(const std::vector<Vector>& polygon, const Vector& n, double most,
         std::vector<Vector>& result) {
  result.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector &x = polygon[i], &y = polygon[(i + 1) % polygon.size()];
    const double fx = dot(n, x) - most, fy = dot(n, y) - most;
    if (fx <= 0) result.push_back(x);
    if ((fx < 0 && fy > 0) || (fx > 0 && fy < 0)) result.push_back(x + (fx / (fx - fy)) * (y - x));
  }
}

// The face of a body that looks most along a direction, of those at its farthest corner there. (Of
// a keel that rises to a flat end, that end would look there more, but lies higher.)
const Polyhedron::Face& face_at_farthest(const FlatSolid& flat, const Vector& d) {
  const Polyhedron& shape = flat.shape;
  int corner = 0;
  double most = -1e300;
  for (int c = 0; c < flat.count(); ++c)
    if (const double along = dot(flat.corner(c), d); along > most) corner = c, most = along;
  int best = 0;
  most = -2;
  for (int k = shape.first_at[corner]; k < shape.first_at[corner + 1]; ++k) {
    const Polyhedron::Edge& edge = shape.edges[shape.at_corner[k]];
    for (const int face : {edge.left, edge.right})
      if (const double along = dot(flat.normal(face), d); along > most) best = face, most = along;
  }
  return shape.faces[best];
}

// A face with the outward normal n, and the face of the other body that looks at it, cut where the
// sides of the first end.
void add_face(const FlatSolid& flat, int face, const Vector& n, const FlatSolid& other,
              double reach, bool flat_is_b, TouchScratch& scratch,
              std::vector<TouchPlace>& places) {
  const Polyhedron &shape = flat.shape, &facing = other.shape;
  const Polyhedron::Face& base = shape.faces[face];
  const Polyhedron::Face& seen = face_at_farthest(other, -n);
  std::vector<Vector>&polygon = scratch.polygon, &rest = scratch.rest;
  polygon.clear();
  for (int k = 0; k < seen.size; ++k) polygon.push_back(other.corner(facing.loop[seen.first + k]));
  for (int k = 0; k < base.size; ++k) {
    const Vector x = flat.corner(shape.loop[base.first + k]);
    const Vector side = cross(flat.corner(shape.loop[base.first + (k + 1) % base.size]) - x, n);
    cut(polygon, side, dot(side, x), rest);
    std::swap(polygon, rest);
  }
  const double level = flat.level(face, n);
  std::uint32_t feature =
      scratch.largest_face * (2 * static_cast<std::uint32_t>(face) + (flat_is_b ? 1 : 0));
  for (const Vector& x : polygon) {
    const double gap = dot(n, x) - level;
    if (gap <= reach) {
      if (flat_is_b)
        places.push_back({x, n, gap, feature});
      else
        places.push_back({x - gap * n, -n, gap, feature});
    }
    ++feature;
  }
}

// Nearest points p + s d and q + t e: e.(p + s d - q - t e) = 0 and d.(..) = 0.
void add_edges(const FlatSolid& a, const FlatSolid& b, const FlatAxis& axis,
               std::vector<TouchPlace>& places) {
  const Polyhedron::Edge &of_a = a.shape.edges[axis.edge_a], &of_b = b.shape.edges[axis.edge_b];
  const Vector d = a.along(of_a), e = b.along(of_b), q = b.corner(of_b.from);
  const Vector r = q - a.corner(of_a.from);
  const double c = dot(d, e), length = norm(b.corner(of_b.to) - q);
  const double t = (c * dot(d, r) - dot(e, r)) / (1 - c * c);
  const auto edges_of_b = static_cast<std::uint32_t>(b.shape.edges.size());
  places.push_back({q + std::clamp(t, 0.0, length) * e, axis.n, axis.apart,
                    edge_features + static_cast<std::uint32_t>(axis.edge_a) * edges_of_b +
                        static_cast<std::uint32_t>(axis.edge_b)});
}

void add_places(const FlatSolid& a, const FlatSolid& b, const FlatAxis& axis, double reach,
                TouchScratch& scratch, std::vector<TouchPlace>& places) {
  // a polygon cut by another one has at most as many corners as both
  scratch.largest_face = static_cast<std::uint32_t>(a.shape.loop.size() + b.shape.loop.size());
  if (axis.edge_a >= 0) return add_edges(a, b, axis, places);
  if (axis.face_b >= 0) return add_face(b, axis.face_b, axis.n, a, reach, true, scratch, places);
  add_face(a, axis.face_a, -axis.n, b, reach, false, scratch, places);
}

}  // namespace

const Polyhedron& unit_cube() {
  static const Polyhedron cube = [] {
    std::vector<Vector> corners;
    for (int k = 0; k < 8; ++k)
      corners.push_back({k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
    std::string problem;
    return make_polyhedron(corners, problem);
  }();
  return cube;
}

int FlatSolid::face_towards(const Vec3<double>& direction) const {
  const Vec3<double> d = transpose_times(solid_.R, direction);
  int best = 0;
  double most = -2;
  for (std::size_t f = 0; f < shape.faces.size(); ++f)
    if (const double along = dot(shape.faces[f].normal, d); along > most)
      best = static_cast<int>(f), most = along;
  return best;
}

void add_axis_places(const FlatSolid& a, const FlatSolid& b, const FlatAxes& axes, double small,
                     double reach, TouchScratch& scratch, std::vector<TouchPlace>& places) {
  const FlatAxis *chosen = &axes.rank[0], *best = chosen;
  for (int k = 1; k < 3; ++k) {
    if (axes.rank[k].apart > chosen->apart + small) chosen = &axes.rank[k];
    if (axes.rank[k].apart > best->apart) best = &axes.rank[k];
  }
  if (best->apart > reach) return;
  const std::size_t before = places.size();
  add_places(a, b, *chosen, reach, scratch, places);
  if (places.size() == before && best != chosen) add_places(a, b, *best, reach, scratch, places);
}

}  // namespace cartan::mechanics
