// Two boxes. Of the fifteen axes on which their shadows could part (normals of faces, products of
// edges), the one on which they are farthest apart, or overlap least, gives the normal.
#include <algorithm>
#include <array>
#include <cmath>

#include "mechanics/stepping/narrow_phase.h"

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

double half_shadow(const Solid& box, const Vector& axis) {
  return box.half.x * std::fabs(dot(box.R.c[0], axis)) +
         box.half.y * std::fabs(dot(box.R.c[1], axis)) +
         box.half.z * std::fabs(dot(box.R.c[2], axis));
}

struct Axis {
  Vector n;  // from b to a
  double apart = -1e300;
  int a = -1, b = -1;  // face of a, of b; both: edges
};

// Edges win over faces only where they are clearly better, so that the choice stays.
Axis choose_axis(const Solid& a, const Solid& b) {
  constexpr double clearly = 1e-3;
  const Vector d = a.p - b.p;
  const double small =
      clearly * std::min({a.half.x, a.half.y, a.half.z, b.half.x, b.half.y, b.half.z});
  Axis best;
  const auto look = [&](Vector n, int face_a, int face_b, double handicap) {
    if (dot(n, d) < 0) n = -n;
    const double apart = dot(n, d) - half_shadow(a, n) - half_shadow(b, n);
    if (apart > best.apart + handicap) best = {n, apart, face_a, face_b};
  };
  for (int k = 0; k < 3; ++k) look(a.R.c[k], k, -1, 0);
  for (int k = 0; k < 3; ++k) look(b.R.c[k], -1, k, small);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vector n = cross(a.R.c[i], b.R.c[j]);
      const double length = norm(n);
      if (length > 1e-6) look((1 / length) * n, i, j, small);
    }
  return best;
}

struct Polygon {
  std::array<Vector, 12> at;
  int size = 0;
  void add(const Vector& x) {
    if (size < 12) at[static_cast<std::size_t>(size++)] = x;
  }
};

// What of it lies where n . x <= most.
Polygon cut(const Polygon& p, const Vector& n, double most) {
  Polygon result;
  for (int i = 0; i < p.size; ++i) {
    const Vector &x = p.at[i], &y = p.at[(i + 1) % p.size];
    const double fx = dot(n, x) - most, fy = dot(n, y) - most;
    if (fx <= 0) result.add(x);
    if ((fx < 0 && fy > 0) || (fx > 0 && fy < 0)) result.add(x + (fx / (fx - fy)) * (y - x));
  }
  return result;
}

// The face of `flat` with the outward normal n, and the face of `other` that looks at it.
void add_face(const Solid& flat, int face, const Vector& n, const Solid& other, double reach,
              bool flat_is_b, int code, std::vector<TouchPlace>& places) {
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(dot(other.R.c[i], n)) > std::fabs(dot(other.R.c[k], n))) k = i;
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double side = dot(other.R.c[k], n) > 0 ? -1 : 1;
  const Vector centre = other.p + side * other.half[k] * other.R.c[k];
  const Vector e = other.half[i] * other.R.c[i], f = other.half[j] * other.R.c[j];
  Polygon polygon;
  for (const Vector& corner : {centre + e + f, centre - e + f, centre - e - f, centre + e - f})
    polygon.add(corner);
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == face) continue;
    const Vector& m = flat.R.c[axis];
    polygon = cut(polygon, m, dot(m, flat.p) + flat.half[axis]);
    polygon = cut(polygon, -m, -dot(m, flat.p) + flat.half[axis]);
  }
  const double level = dot(n, flat.p) + flat.half[face];
  for (int c = 0; c < polygon.size; ++c) {
    const Vector& x = polygon.at[c];
    const double gap = dot(n, x) - level;
    if (gap > reach) continue;
    if (flat_is_b)
      places.push_back({x, n, gap, code + c});
    else
      places.push_back({x - gap * n, -n, gap, code + c});
  }
}

// The nearest points of the edges of both along axes i and j on the sides that look at each other.
void add_edges(const Solid& a, const Solid& b, const Axis& axis, std::vector<TouchPlace>& places) {
  const auto edge_of = [](const Solid& box, int along, const Vector& towards) {
    Vector p = box.p;
    for (int k = 0; k < 3; ++k)
      if (k != along) p += (dot(box.R.c[k], towards) > 0 ? box.half[k] : -box.half[k]) * box.R.c[k];
    return p;
  };
  const Vector p = edge_of(a, axis.a, -axis.n), q = edge_of(b, axis.b, axis.n);
  const Vector &d = a.R.c[axis.a], &e = b.R.c[axis.b], r = q - p;
  const double c = dot(d, e);
  const double t = (c * dot(d, r) - dot(e, r)) / (1 - c * c);
  const Vector y = q + std::clamp(t, -b.half[axis.b], b.half[axis.b]) * e;
  places.push_back({y, axis.n, axis.apart, 96 + 3 * axis.a + axis.b});
}

}  // namespace

void find_box_places(const Solid& a, const Solid& b, double reach,
                     std::vector<TouchPlace>& places) {
  const Axis axis = choose_axis(a, b);
  if (axis.apart > reach) return;
  if (axis.a >= 0 && axis.b >= 0) return add_edges(a, b, axis, places);
  if (axis.b >= 0) return add_face(b, axis.b, axis.n, a, reach, true, 16 * axis.b, places);
  add_face(a, axis.a, -axis.n, b, reach, false, 48 + 16 * axis.a, places);
}

}  // namespace cartan::mechanics
