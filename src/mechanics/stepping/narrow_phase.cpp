#include "mechanics/stepping/narrow_phase.h"

#include <algorithm>
#include <cmath>

#include "mechanics/stepping/flat_solid.h"
#include "mechanics/stepping/lines.h"

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

// Two balls about points, of which the second may have no radius.
void add_balls(const Vector& x, double rx, const Vector& y, double ry, double reach,
               std::uint32_t feature, std::vector<TouchPlace>& places) {
  const Vector d = x - y;
  const double length = norm(d);
  if (length - rx - ry > reach) return;
  const Vector n = length > 1e-150 ? (1 / length) * d : Vector{0, 0, 1};
  places.push_back({y + ry * n, n, length - rx - ry, feature});
}

void add_on_plane(const Vector& x, double r, const Solid& plane, double reach,
                  std::uint32_t feature, std::vector<TouchPlace>& places) {
  const double gap = dot(plane.normal, x - plane.p) - r;
  if (gap <= reach) places.push_back({x - r * plane.normal, plane.normal, gap, feature});
}

void add_inside(const Vector& x, double r, const Solid& hollow, double reach, std::uint32_t feature,
                std::vector<TouchPlace>& places) {
  const Vector d = hollow.p - x;
  const double length = norm(d), gap = hollow.radius - length - r;
  if (gap > reach) return;
  const Vector n = length > 1e-150 ? (1 / length) * d : Vector{0, 0, 1};
  places.push_back({hollow.p - hollow.radius * n, n, gap, feature});
}

// A ball and a box: the nearest point of the box, or the nearest face where the centre is inside.
void add_on_box(const Vector& x, double r, const Solid& box, double reach, std::uint32_t feature,
                std::vector<TouchPlace>& places) {
  const Vector local = transpose_times(box.R, x - box.p);
  Vector nearest = local;
  for (int k = 0; k < 3; ++k) nearest[k] = std::clamp(local[k], -box.half[k], box.half[k]);
  const Vector d = local - nearest;
  const double length = norm(d);
  if (length > 1e-12 * (norm(box.half))) {
    if (length - r <= reach)
      places.push_back({box.p + box.R * nearest, (1 / length) * (box.R * d), length - r, feature});
    return;
  }
  int face = 0;
  double depth = -1e300;
  for (int k = 0; k < 3; ++k)
    if (std::fabs(local[k]) - box.half[k] > depth)
      depth = std::fabs(local[k]) - box.half[k], face = k;
  const Vector n = (local[face] < 0 ? -1.0 : 1.0) * box.R.c[face];
  places.push_back({x - depth * n, n, depth - r, feature});
}

bool is_flat(const Solid& solid) {
  return solid.kind == SolidKind::box || solid.kind == SolidKind::polyhedron;
}

Vector end_of(const Solid& capsule, std::uint32_t end) {
  return capsule.p + (end == 0 ? -capsule.length : capsule.length) * capsule.R.c[2];
}

// The point of a capsule's middle line that is nearest to x.
Vector nearest_on(const Solid& capsule, const Vector& x) {
  const double s = dot(capsule.R.c[2], x - capsule.p);
  return capsule.p + std::clamp(s, -capsule.length, capsule.length) * capsule.R.c[2];
}

void add_capsules(const Solid& a, const Solid& b, double reach, std::vector<TouchPlace>& places) {
  const Vector d = a.R.c[2], e = b.R.c[2];
  const double sine2 = norm2(cross(d, e));
  double s = 0, t = 0;
  find_nearest_on_lines(a.p, d, a.length, b.p, e, b.length, s, t);
  const bool crossed = std::fabs(s) < a.length && std::fabs(t) < b.length;
  if (sine2 > 1e-6 || (sine2 > 1e-12 && crossed))
    add_balls(a.p + s * d, a.radius, b.p + t * e, b.radius, reach, 0, places);
  if (sine2 > 1e-6) return;
  // side by side: both ends of what they have in common, of equal capsules too
  const double middle = dot(d, b.p - a.p);
  const double low = std::max(-a.length, middle - b.length);
  const double high = std::min(a.length, middle + b.length);
  const auto add_at = [&](double along, std::uint32_t feature) {
    const Vector y = nearest_on(b, a.p + along * d);
    add_balls(nearest_on(a, y), a.radius, y, b.radius, reach, feature, places);
  };
  if (low < high) {
    add_at(low, 1);
    add_at(high, 2);
  } else {
    add_at(0, 0);
  }
}

void add_corners(const Solid& solid, const Solid& b, double reach,
                 std::vector<TouchPlace>& places) {
  const FlatSolid flat(solid);
  for (int c = 0; c < flat.count(); ++c)
    if (b.kind == SolidKind::plane)
      add_on_plane(flat.corner(c), 0, b, reach, static_cast<std::uint32_t>(c), places);
    else
      add_inside(flat.corner(c), 0, b, reach, static_cast<std::uint32_t>(c), places);
}

// a against b with the roles exchanged.
void turn_round(std::vector<TouchPlace>& places, std::size_t first) {
  for (std::size_t k = first; k < places.size(); ++k) {
    places[k].point += places[k].gap * places[k].normal;
    places[k].normal = -places[k].normal;
  }
}

void add_ball(const Vector& x, double r, const Solid& b, double reach, std::uint32_t feature,
              std::vector<TouchPlace>& places) {
  switch (b.kind) {
    case SolidKind::sphere:
      return add_balls(x, r, b.p, b.radius, reach, feature, places);
    case SolidKind::capsule:
      return add_balls(x, r, nearest_on(b, x), b.radius, reach, feature, places);
    case SolidKind::box:
      return add_on_box(x, r, b, reach, feature, places);
    case SolidKind::polyhedron:
      return add_ball_on_polyhedron(x, r, b, reach, feature, places);
    case SolidKind::plane:
      return add_on_plane(x, r, b, reach, feature, places);
    case SolidKind::hollow:
      return add_inside(x, r, b, reach, feature, places);
  }
}

// Its ends, and what of its middle line is nearest to edges and corners.
void add_capsule(const Solid& a, const Solid& b, double reach, std::vector<TouchPlace>& places) {
  for (std::uint32_t end = 0; end < 2; ++end)
    add_ball(end_of(a, end), a.radius, b, reach, end, places);
  if (is_flat(b)) add_capsule_on_flat(a, b, reach, places);
}

}  // namespace

double reach_of(const Solid& solid) {
  if (solid.kind == SolidKind::box) return norm(solid.half);
  if (solid.kind == SolidKind::polyhedron) return solid.body->reach;
  return solid.radius + (solid.kind == SolidKind::capsule ? solid.length : 0);
}

void find_touch_places(const Solid& a, const Solid& b, double reach, TouchScratch& scratch,
                       std::vector<TouchPlace>& places) {
  const std::size_t first = places.size();
  if (a.kind == SolidKind::sphere) return add_ball(a.p, a.radius, b, reach, 0, places);
  if (b.kind == SolidKind::sphere) {
    add_ball(b.p, b.radius, a, reach, 0, places);
    return turn_round(places, first);
  }
  if (is_flat(a)) {
    if (a.kind == SolidKind::box && b.kind == SolidKind::box)
      return find_box_places(a, b, reach, scratch, places);
    if (is_flat(b)) return find_polyhedron_places(a, b, reach, scratch, places);
    if (b.kind != SolidKind::capsule) return add_corners(a, b, reach, places);
    add_capsule(b, a, reach, places);
    return turn_round(places, first);
  }
  if (b.kind == SolidKind::capsule) return add_capsules(a, b, reach, places);
  add_capsule(a, b, reach, places);
}

}  // namespace cartan::mechanics
