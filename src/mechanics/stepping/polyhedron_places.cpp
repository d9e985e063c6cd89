// Balls and capsules against bodies with plane faces: the nearest point of the surface, by faces,
// edges and corners.
#include <algorithm>
#include <cmath>

#include "mechanics/stepping/flat_solid.h"
#include "mechanics/stepping/lines.h"

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

// The point of edge e nearest to x, and where along it from 0 to 1.
Vector nearest_on_edge(const Vector& from, const Vector& to, const Vector& x, double& s) {
  const Vector d = to - from;
  s = std::clamp(dot(d, x - from) / norm2(d), 0.0, 1.0);
  return from + s * d;
}

// Whether x lies over the inside of a face.
bool lies_over(const Polyhedron& body, const Polyhedron::Face& face, const Vector& x) {
  for (int k = 0; k < face.size; ++k) {
    const Vector& a = body.corner_of(face, k);
    const Vector& b = body.corner_of(face, (k + 1) % face.size);
    if (dot(cross(face.normal, b - a), x - a) < 0) return false;
  }
  return true;
}

// A direction counts as leading out between the faces of an edge, or at a corner, also next to
// parallel to a face: so a capsule rests on both edges of a face that it reaches over.
constexpr double next_to = 1e-3;

bool leads_out_of_edge(const Polyhedron& body, const Polyhedron::Edge& edge, const Vector& d) {
  const Vector e = body.corners[edge.to] - body.corners[edge.from];
  const double most = next_to * norm(d) * norm(e);
  return dot(cross(body.faces[edge.left].normal, e), d) <= most &&
         dot(cross(e, body.faces[edge.right].normal), d) <= most;
}

bool leads_out_of_corner(const Polyhedron& body, int corner, const Vector& d) {
  for (int k = body.first_at[corner]; k < body.first_at[corner + 1]; ++k) {
    const Polyhedron::Edge& edge = body.edges[body.at_corner[k]];
    const Vector e = body.corners[edge.from == corner ? edge.to : edge.from] - body.corners[corner];
    if (dot(e, d) > next_to * norm(d) * norm(e)) return false;
  }
  return true;
}

}  // namespace

// Outside: over a face, or nearest to an edge. Inside: the face that is least deep.
void add_ball_on_polyhedron(const Vector& x, double r, const Solid& solid, double reach,
                            std::uint32_t feature, std::vector<TouchPlace>& places) {
  const Polyhedron& body = *solid.body;
  const Vector local = transpose_times(solid.R, x - solid.p);
  double highest = -1e300;
  int face = 0;
  for (std::size_t f = 0; f < body.faces.size(); ++f) {
    const double height = dot(body.faces[f].normal, local) - body.faces[f].level;
    if (height > r + reach) return;
    if (height > highest) highest = height, face = static_cast<int>(f);
  }
  const auto add = [&](const Vector& point, const Vector& n, double height) {
    if (height - r <= reach)
      places.push_back({solid.p + solid.R * point, solid.R * n, height - r, feature});
  };
  const auto add_over = [&](int over, double height) {
    const Vector& n = body.faces[over].normal;
    add(local - height * n, n, height);
  };
  if (highest <= 1e-12 * body.reach) return add_over(face, highest);
  for (std::size_t f = 0; f < body.faces.size(); ++f) {
    const double height = dot(body.faces[f].normal, local) - body.faces[f].level;
    if (height > 0 && lies_over(body, body.faces[f], local))
      return add_over(static_cast<int>(f), height);
  }
  Vector nearest;
  double least = 1e300, s = 0;
  for (const Polyhedron::Edge& edge : body.edges) {
    const Vector y = nearest_on_edge(body.corners[edge.from], body.corners[edge.to], local, s);
    if (const double d = norm2(local - y); d < least) least = d, nearest = y;
  }
  const double length = std::sqrt(least);
  add(nearest, (1 / length) * (local - nearest), length);
}

// Ends of the capsule, and where the inside of its middle line is nearest to an edge or a corner.
void add_capsule_on_flat(const Solid& a, const Solid& solid, double reach,
                         std::vector<TouchPlace>& places) {
  const FlatSolid flat(solid);
  const Polyhedron& body = flat.shape;
  const Vector& axis = a.R.c[2];
  const auto add = [&](double s, const Vector& y, const Vector& d, std::uint32_t feature) {
    const double length = norm(d);
    if (std::fabs(s) >= a.length || length - a.radius > reach || length < 1e-150) return;
    places.push_back({y, (1 / length) * d, length - a.radius, feature});
  };
  const auto edges = static_cast<std::uint32_t>(body.edges.size());
  for (std::uint32_t e = 0; e < edges; ++e) {
    const Polyhedron::Edge& edge = body.edges[e];
    const Vector from = flat.corner(edge.from), to = flat.corner(edge.to), along = flat.along(edge);
    const Vector middle = 0.5 * (from + to);
    const double half = 0.5 * norm(to - from);
    double s = 0, t = 0;
    find_nearest_on_lines(a.p, axis, a.length, middle, along, half, s, t);
    const Vector y = middle + t * along, d = a.p + s * axis - y;
    if (std::fabs(t) < half && leads_out_of_edge(body, edge, transpose_times(solid.R, d)))
      add(s, y, d, 2 + e);
  }
  for (int c = 0; c < flat.count(); ++c) {
    const Vector y = flat.corner(c);
    const double s = dot(axis, y - a.p);
    const Vector d = a.p + std::clamp(s, -a.length, a.length) * axis - y;
    if (leads_out_of_corner(body, c, transpose_times(solid.R, d)))
      add(s, y, d, 2 + edges + static_cast<std::uint32_t>(c));
  }
}

}  // namespace cartan::mechanics
