#include "mechanics/stepping/narrow_phase.h"

#include <algorithm>
#include <cmath>

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

// Two balls about points, of which the second may have no radius.
void add_balls(const Vector& x, double rx, const Vector& y, double ry, double reach, int feature,
               std::vector<TouchPlace>& places) {
  const Vector d = x - y;
  const double length = norm(d);
  if (length - rx - ry > reach) return;
  const Vector n = length > 1e-150 ? (1 / length) * d : Vector{0, 0, 1};
  places.push_back({y + ry * n, n, length - rx - ry, feature});
}

void add_on_plane(const Vector& x, double r, const Solid& plane, double reach, int feature,
                  std::vector<TouchPlace>& places) {
  const double gap = dot(plane.normal, x - plane.p) - r;
  if (gap <= reach) places.push_back({x - r * plane.normal, plane.normal, gap, feature});
}

void add_inside(const Vector& x, double r, const Solid& hollow, double reach, int feature,
                std::vector<TouchPlace>& places) {
  const Vector d = hollow.p - x;
  const double length = norm(d), gap = hollow.radius - length - r;
  if (gap > reach) return;
  const Vector n = length > 1e-150 ? (1 / length) * d : Vector{0, 0, 1};
  places.push_back({hollow.p - hollow.radius * n, n, gap, feature});
}

// A ball and a box: the nearest point of the box, or the nearest face where the centre is inside.
void add_on_box(const Vector& x, double r, const Solid& box, double reach, int feature,
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

Vector end_of(const Solid& capsule, int end) {
  return capsule.p + (end == 0 ? -capsule.length : capsule.length) * capsule.R.c[2];
}

// The point of a capsule's middle line that is nearest to x.
Vector nearest_on(const Solid& capsule, const Vector& x) {
  const double s = dot(capsule.R.c[2], x - capsule.p);
  return capsule.p + std::clamp(s, -capsule.length, capsule.length) * capsule.R.c[2];
}

// Parameters s, t of the nearest points of p + s d (|s| <= a) and q + t e (|t| <= b), |d| = |e|
// = 1.
void find_nearest(const Vector& p, const Vector& d, double a, const Vector& q, const Vector& e,
                  double b, double& s, double& t) {
  const Vector r = q - p;
  const double c = dot(d, e), rest = 1 - c * c;
  s = rest > 1e-12 ? std::clamp((dot(d, r) - c * dot(e, r)) / rest, -a, a) : 0.0;
  t = std::clamp(c * s - dot(e, r), -b, b);
  s = std::clamp(dot(d, r) + c * t, -a, a);
}

void add_capsules(const Solid& a, const Solid& b, double reach, std::vector<TouchPlace>& places) {
  const Vector d = a.R.c[2], e = b.R.c[2];
  const double sine2 = norm2(cross(d, e));
  double s = 0, t = 0;
  find_nearest(a.p, d, a.length, b.p, e, b.length, s, t);
  const bool crossed = std::fabs(s) < a.length && std::fabs(t) < b.length;
  if (sine2 > 1e-6 || (sine2 > 1e-12 && crossed))
    add_balls(a.p + s * d, a.radius, b.p + t * e, b.radius, reach, 0, places);
  if (sine2 > 1e-6) return;
  // side by side: both ends of what they have in common, of equal capsules too
  const double middle = dot(d, b.p - a.p);
  const double low = std::max(-a.length, middle - b.length);
  const double high = std::min(a.length, middle + b.length);
  const auto add_at = [&](double along, int feature) {
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

// The corner or the middle of an edge of a box on these sides (1, -1; 0: the middle).
Vector box_point(const Solid& box, const int (&side)[3]) {
  Vector local;
  for (int k = 0; k < 3; ++k) local[k] = side[k] * box.half[k];
  return box.p + box.R * local;
}

// Whether d leads away from the faces on these sides; lines next to parallel to a face count, so
// that a capsule rests on both edges of a face that it reaches over.
bool leads_away(const Solid& box, const int (&side)[3], const Vector& d) {
  constexpr double next_to = 1e-3;
  const Vector local = transpose_times(box.R, d);
  for (int k = 0; k < 3; ++k)
    if (side[k] * local[k] < -next_to * norm(d)) return false;
  return true;
}

// Ends of the capsule, and where the inside of its middle line is nearest to a corner or an edge.
void add_capsule_on_box(const Solid& a, const Solid& box, double reach,
                        std::vector<TouchPlace>& places) {
  for (int end = 0; end < 2; ++end) add_on_box(end_of(a, end), a.radius, box, reach, end, places);
  const Vector& axis = a.R.c[2];
  const auto add = [&](double s, const Vector& y, const int(&side)[3], int feature) {
    const Vector d = a.p + s * axis - y;
    const double length = norm(d);
    if (std::fabs(s) >= a.length || length - a.radius > reach || length < 1e-150) return;
    if (leads_away(box, side, d))
      places.push_back({y, (1 / length) * d, length - a.radius, feature});
  };
  for (int k = 0; k < 3; ++k)
    for (int at = 0; at < 4; ++at) {
      int side[3] = {};
      side[(k + 1) % 3] = at & 1 ? 1 : -1;
      side[(k + 2) % 3] = at & 2 ? 1 : -1;
      const Vector edge = box_point(box, side);
      double s = 0, t = 0;
      find_nearest(a.p, axis, a.length, edge, box.R.c[k], box.half[k], s, t);
      if (std::fabs(t) < box.half[k]) add(s, edge + t * box.R.c[k], side, 2 + 4 * k + at);
    }
  for (int corner = 0; corner < 8; ++corner) {
    const int side[3] = {corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1};
    const Vector y = box_point(box, side);
    add(dot(axis, y - a.p), y, side, 14 + corner);
  }
}

void add_corners(const Solid& box, const Solid& b, double reach, std::vector<TouchPlace>& places) {
  for (int corner = 0; corner < 8; ++corner) {
    const Vector x =
        box_point(box, {corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1});
    if (b.kind == SolidKind::plane)
      add_on_plane(x, 0, b, reach, corner, places);
    else
      add_inside(x, 0, b, reach, corner, places);
  }
}

// a against b with the roles exchanged.
void turn_round(std::vector<TouchPlace>& places, std::size_t first) {
  for (std::size_t k = first; k < places.size(); ++k) {
    places[k].point += places[k].gap * places[k].normal;
    places[k].normal = -places[k].normal;
  }
}

void add_ball(const Vector& x, double r, const Solid& b, double reach, int feature,
              std::vector<TouchPlace>& places) {
  switch (b.kind) {
    case SolidKind::sphere:
      return add_balls(x, r, b.p, b.radius, reach, feature, places);
    case SolidKind::capsule:
      return add_balls(x, r, nearest_on(b, x), b.radius, reach, feature, places);
    case SolidKind::box:
      return add_on_box(x, r, b, reach, feature, places);
    case SolidKind::plane:
      return add_on_plane(x, r, b, reach, feature, places);
    case SolidKind::hollow:
      return add_inside(x, r, b, reach, feature, places);
  }
}

}  // namespace

double reach_of(const Solid& solid) {
  if (solid.kind == SolidKind::box) return norm(solid.half);
  return solid.radius + (solid.kind == SolidKind::capsule ? solid.length : 0);
}

void find_touch_places(const Solid& a, const Solid& b, double reach,
                       std::vector<TouchPlace>& places) {
  const std::size_t first = places.size();
  if (a.kind == SolidKind::sphere) return add_ball(a.p, a.radius, b, reach, 0, places);
  if (b.kind == SolidKind::sphere) {
    add_ball(b.p, b.radius, a, reach, 0, places);
    return turn_round(places, first);
  }
  if (a.kind == SolidKind::box) {
    if (b.kind == SolidKind::box) return find_box_places(a, b, reach, places);
    if (b.kind != SolidKind::capsule) return add_corners(a, b, reach, places);
    add_capsule_on_box(b, a, reach, places);
    return turn_round(places, first);
  }
  if (b.kind == SolidKind::capsule) return add_capsules(a, b, reach, places);
  if (b.kind == SolidKind::box) return add_capsule_on_box(a, b, reach, places);
  for (int end = 0; end < 2; ++end) add_ball(end_of(a, end), a.radius, b, reach, end, places);
}

}  // namespace cartan::mechanics
