// Two boxes. Of the fifteen axes on which their shadows could part (normals of faces, products of
// edges), the one on which they are farthest apart, or overlap least, gives the normal.
#include <algorithm>
#include <cmath>

#include "mechanics/stepping/flat_solid.h"

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

double half_shadow(const Solid& box, const Vector& axis) {
  return box.half.x * std::fabs(dot(box.R.c[0], axis)) +
         box.half.y * std::fabs(dot(box.R.c[1], axis)) +
         box.half.z * std::fabs(dot(box.R.c[2], axis));
}

// The edge along one of the axes of a box that lies farthest in a direction.
int edge_towards(const Solid& box, int axis, const Vector& direction) {
  const Polyhedron& cube = unit_cube();
  const Vector d = transpose_times(box.R, direction);
  int best = -1;
  double most = -1e300;
  for (std::size_t e = 0; e < cube.edges.size(); ++e) {
    const Vector &x = cube.corners[cube.edges[e].from], &y = cube.corners[cube.edges[e].to];
    if (x[axis] == y[axis]) continue;
    double along = 0;
    for (int k = 0; k < 3; ++k)
      if (k != axis) along += x[k] * d[k];
    if (along > most) best = static_cast<int>(e), most = along;
  }
  return best;
}

}  // namespace

void find_box_places(const Solid& a, const Solid& b, double reach, TouchScratch& scratch,
                     std::vector<TouchPlace>& places) {
  const Vector d = a.p - b.p;
  Vector normal[3];  // of the best of its rank
  double apart[3] = {-1e300, -1e300, -1e300};
  int edge_a = 0, edge_b = 0;
  // whether it is the best of its rank so far
  const auto look = [&](Vector n, int rank) {
    if (dot(n, d) < 0) n = -n;
    const double between = dot(n, d) - half_shadow(a, n) - half_shadow(b, n);
    if (between <= apart[rank]) return false;
    apart[rank] = between;
    normal[rank] = n;
    return true;
  };
  for (int k = 0; k < 3; ++k) look(a.R.c[k], 0);
  for (int k = 0; k < 3; ++k) look(b.R.c[k], 1);
  if (std::max(apart[0], apart[1]) > reach) return;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vector n = cross(a.R.c[i], b.R.c[j]);
      const double length = norm(n);
      if (length > parallel_edges && look((1 / length) * n, 2)) edge_a = i, edge_b = j;
    }
  const FlatSolid flat_a(a), flat_b(b);
  FlatAxes axes;
  for (int k = 0; k < 3; ++k) axes.rank[k].n = normal[k], axes.rank[k].apart = apart[k];
  axes.rank[0].face_a = flat_a.face_towards(-normal[0]);
  axes.rank[1].face_b = flat_b.face_towards(normal[1]);
  axes.rank[2].edge_a = edge_towards(a, edge_a, -normal[2]);
  axes.rank[2].edge_b = edge_towards(b, edge_b, normal[2]);
  add_axis_places(flat_a, flat_b, axes, clearly_better * std::min(flat_a.inner(), flat_b.inner()),
                  reach, scratch, places);
}

}  // namespace cartan::mechanics
