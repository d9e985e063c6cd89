// Where two bodies with plane faces touch, once the axis along which they part is known.
#include <algorithm>
#include <cmath>

#include "mechanics/stepping/closest_points.h"
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
int face_at_farthest(const FlatSolid& flat, const Vector& d) {
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
  return best;
}

void list_face(const FlatSolid& flat, const Polyhedron::Face& face, std::vector<Vector>& polygon) {
  polygon.clear();
  for (int k = 0; k < face.size; ++k)
    polygon.push_back(flat.corner(flat.shape.loop[face.first + k]));
}

// Of a polygon, what lies over or under a face, seen along n.
void cut_by_sides(const FlatSolid& flat, const Polyhedron::Face& face, const Vector& n,
                  TouchScratch& scratch) {
  for (int k = 0; k < face.size; ++k) {
    const Vector x = flat.corner(flat.shape.loop[face.first + k]);
    const Vector next = flat.corner(flat.shape.loop[face.first + (k + 1) % face.size]);
    const Vector side = cross(next - x, n);
    cut(scratch.polygon, side, dot(side, x), scratch.rest);
    std::swap(scratch.polygon, scratch.rest);
  }
}

// A face with the outward normal n, and the face of the other body that looks at it, cut where the
// sides of the first end.
void add_face(const FlatSolid& flat, int face, const Vector& n, const FlatSolid& other,
              double reach, bool flat_is_b, TouchScratch& scratch,
              std::vector<TouchPlace>& places) {
  list_face(other, other.shape.faces[face_at_farthest(other, -n)], scratch.polygon);
  cut_by_sides(flat, flat.shape.faces[face], n, scratch);
  const double level = flat.level(face, n);
  std::uint32_t feature =
      scratch.largest_face * (2 * static_cast<std::uint32_t>(face) + (flat_is_b ? 1 : 0));
  for (const Vector& x : scratch.polygon) {
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

// Where two edges are nearest, the faces beside them may be next to parallel, and come together at
// other places as soon as the bodies turn: corners of what the faces have in common, seen along n.
// Their gaps along n are larger than those of the edges.
void add_beside_edges(const FlatSolid& a, const FlatSolid& b, const FlatAxis& axis, double reach,
                      TouchScratch& scratch, std::vector<TouchPlace>& places) {
  constexpr double least_slope = 0.5, apart = 0.01;
  const int face_a = face_at_farthest(a, -axis.n), face_b = face_at_farthest(b, axis.n);
  const Vector n = b.normal(face_b);
  const double slope = dot(n, axis.n), level = b.level(face_b, n);
  if (slope < least_slope || -dot(a.normal(face_a), axis.n) < least_slope) return;
  const Vector crossing = places.back().point;
  const double near = apart * std::min(a.inner(), b.inner());
  list_face(a, a.shape.faces[face_a], scratch.polygon);
  cut_by_sides(b, b.shape.faces[face_b], axis.n, scratch);
  const auto faces_of_b = static_cast<std::uint32_t>(b.shape.faces.size());
  std::uint32_t feature = scratch.largest_face * (static_cast<std::uint32_t>(face_a) * faces_of_b +
                                                  static_cast<std::uint32_t>(face_b));
  for (const Vector& x : scratch.polygon) {
    ++feature;
    const double gap = (dot(n, x) - level) / slope;
    const Vector point = x - gap * axis.n;
    if (gap > reach || norm2(point - crossing) < near * near) continue;
    places.push_back({point, axis.n, gap, beside_features + feature % beside_features});
  }
}

// Nearest points p + s d and q + t e: e.(p + s d - q - t e) = 0 and d.(..) = 0, where both lie
// between the ends.
void add_edges(const FlatSolid& a, const FlatSolid& b, const FlatAxis& axis, double reach,
               TouchScratch& scratch, std::vector<TouchPlace>& places) {
  const Polyhedron::Edge &of_a = a.shape.edges[axis.edge_a], &of_b = b.shape.edges[axis.edge_b];
  const Vector d = a.along(of_a), e = b.along(of_b), q = b.corner(of_b.from);
  const Vector p = a.corner(of_a.from), r = q - p;
  const double c = dot(d, e), rest = 1 - c * c;
  const double s = (dot(d, r) - c * dot(e, r)) / rest, t = (c * dot(d, r) - dot(e, r)) / rest;
  if (s < 0 || t < 0 || s > norm(a.corner(of_a.to) - p) || t > norm(b.corner(of_b.to) - q)) return;
  const auto edges_of_b = static_cast<std::uint32_t>(b.shape.edges.size());
  places.push_back({q + t * e, axis.n, axis.apart,
                    edge_features + static_cast<std::uint32_t>(axis.edge_a) * edges_of_b +
                        static_cast<std::uint32_t>(axis.edge_b)});
  add_beside_edges(a, b, axis, reach, scratch, places);
}

// The nearest points of all, if they are nearer than `below`. Where that is next to nothing, or the
// bodies overlap, they do not tell the normal well.
void add_closest(const FlatSolid& a, const FlatSolid& b, const FlatAxis& best, double below,
                 TouchScratch& scratch, std::vector<TouchPlace>& places) {
  a.list_corners(scratch.corners[0]), b.list_corners(scratch.corners[1]);
  const ClosestPoints found =
      find_closest_points({scratch.corners[0], a.solid().p}, {scratch.corners[1], b.solid().p});
  if (found.distance > below || found.distance == 0) return;
  const bool tells = found.distance > 1e-7 * std::min(a.inner(), b.inner());
  const Vector n = tells ? (1 / found.distance) * (found.a - found.b) : best.n;
  places.push_back({found.b, n, tells ? found.distance : best.apart,
                    corner_features + static_cast<std::uint32_t>(found.corner_a * b.count()) +
                        static_cast<std::uint32_t>(found.corner_b)});
}

void add_places(const FlatSolid& a, const FlatSolid& b, const FlatAxis& axis, double reach,
                TouchScratch& scratch, std::vector<TouchPlace>& places) {
  // a polygon cut by another one has at most as many corners as both
  scratch.largest_face = static_cast<std::uint32_t>(a.shape.loop.size() + b.shape.loop.size());
  if (axis.edge_a >= 0) return add_edges(a, b, axis, reach, scratch, places);
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
  double nearest = 1e300;
  for (std::size_t k = before; k < places.size(); ++k) nearest = std::min(nearest, places[k].gap);
  if (nearest > best->apart + 0.1 * small)
    add_closest(a, b, *best, std::min(reach, nearest - 0.1 * small), scratch, places);
}

}  // namespace cartan::mechanics
