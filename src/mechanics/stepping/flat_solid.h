// A box or a polyhedron in the world, as a body with plane faces.
#pragma once

#include "mechanics/stepping/narrow_phase.h"
#include "model/polyhedron.h"

namespace cartan::mechanics {

// Corners (+-1, +-1, +-1).
const Polyhedron& unit_cube();

class FlatSolid {
 public:
  explicit FlatSolid(const Solid& solid)
      : shape(solid.kind == SolidKind::box ? unit_cube() : *solid.body),
        solid_(solid),
        box_(solid.kind == SolidKind::box) {}

  const Polyhedron& shape;

  int count() const { return static_cast<int>(shape.corners.size()); }
  Vec3<double> corner(int c) const { return solid_.p + solid_.R * local(c); }
  void list_corners(std::vector<Vec3<double>>& corners) const {
    corners.clear();
    for (int c = 0; c < count(); ++c) corners.push_back(corner(c));
  }
  Vec3<double> normal(int face) const { return solid_.R * shape.faces[face].normal; }
  // n . x on a face, n = normal(face)
  double level(int face, const Vec3<double>& n) const {
    return dot(n, solid_.p) +
           (box_ ? dot(shape.faces[face].normal, local(shape.loop[shape.faces[face].first]))
                 : shape.faces[face].level);
  }
  // From `from` to `to`, of length one.
  Vec3<double> along(const Polyhedron::Edge& edge) const {
    const Vec3<double> d = local(edge.to) - local(edge.from);
    return solid_.R * ((1 / norm(d)) * d);
  }
  double inner() const {
    const Vec3<double>& h = solid_.half;
    return box_ ? (h.x < h.y ? (h.x < h.z ? h.x : h.z) : (h.y < h.z ? h.y : h.z)) : shape.inner;
  }
  // The face that looks most along a direction.
  int face_towards(const Vec3<double>& direction) const;
  const Solid& solid() const { return solid_; }

 private:
  Vec3<double> local(int c) const {
    const Vec3<double>& x = shape.corners[c];
    if (!box_) return x;
    return {solid_.half.x * x.x, solid_.half.y * x.y, solid_.half.z * x.z};
  }
  const Solid& solid_;
  const bool box_;
};

// Of faces a and b that a pair of bodies has nearest or overlapping least, or of edges: n from b to
// a, and how far apart they are along it.
struct FlatAxis {
  Vec3<double> n;
  double apart = -1e300;
  int face_a = -1, face_b = -1, edge_a = -1, edge_b = -1;
};

// The best axis of each rank: faces of a, faces of b, edges.
struct FlatAxes {
  FlatAxis rank[3];
  void offer(int k, const FlatAxis& axis) {
    if (axis.apart > rank[k].apart) rank[k] = axis;
  }
};

// Where they touch: the polygon that two faces have in common, or the nearest points of two edges.
// An axis of a later rank counts where it is better than those before by `small`, so that the
// choice stays; the best one of all where that leads nowhere. Where a corner of one is nearest to a
// corner or an edge of the other, no axis leads there, and the line between them is the normal.
void add_axis_places(const FlatSolid& a, const FlatSolid& b, const FlatAxes& axes, double small,
                     double reach, TouchScratch& scratch, std::vector<TouchPlace>& places);

}  // namespace cartan::mechanics
