// Two bodies with plane faces. The axis along which they are farthest apart, or overlap least, is a
// normal of a face of one of them or stands on an edge of each. An edge of a, between faces with
// normals l and r, and one of b make such an axis n = -+ d_a x d_b where the arcs l_a r_a and
// -(l_b r_b) cross on the sphere:
//   d_a.l_b and d_a.r_b differ in sign, d_b.l_a and d_b.r_a as well, and the same way round
// Few edges are tried all with all. Of many, those around the corners that are nearest along the
// last axis, again until that is the best of them; the first axis is that of the bodies made
// smaller (closest_points.cpp).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechanics/stepping/closest_points.h"
#include "mechanics/stepping/flat_solid.h"

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

constexpr std::size_t most_edge_pairs = 1000;  // that are all tried
constexpr int most_rounds = 50;

class AxisSearch {
 public:
  AxisSearch(const FlatSolid& a, const FlatSolid& b, TouchScratch& scratch)
      : body_{a, b}, scratch_(scratch) {
    for (int k = 0; k < 2; ++k) body_[k].list_corners(scratch.corners[k]);
  }

  // Looks no farther where one is farther apart than `enough`.
  FlatAxes find(double enough) {
    if (body_[0].shape.edges.size() * body_[1].shape.edges.size() <= most_edge_pairs) {
      for (int k = 0; k < 2; ++k) {
        take_all(scratch_.faces[k], body_[k].shape.faces.size());
        take_all(scratch_.edges[k], body_[k].shape.edges.size());
      }
      return best_of_chosen(enough);
    }
    Vector n = nearest_direction({scratch_.corners[0], body_[0].solid().p},
                                 {scratch_.corners[1], body_[1].solid().p});
    FlatAxes best;
    double apart = -1e300;
    for (int round = 0; round < most_rounds; ++round) {
      choose_around(n);
      const FlatAxes found = best_of_chosen(enough);
      const FlatAxis* farthest = &found.rank[0];
      for (const FlatAxis& axis : found.rank)
        if (axis.apart > farthest->apart) farthest = &axis;
      if (farthest->apart <= apart) break;
      best = found;
      apart = farthest->apart;
      if (apart > enough) break;
      n = farthest->n;
    }
    return best;
  }
  double small() const { return clearly_better * std::min(body_[0].inner(), body_[1].inner()); }

 private:
  static void take_all(std::vector<int>& list, std::size_t count) {
    list.resize(count);
    std::iota(list.begin(), list.end(), 0);
  }

  // Faces and edges at the corners of both that are nearest to the other body along n.
  void choose_around(const Vector& n) {
    constexpr double layer = 0.02;  // of the body's size
    for (int k = 0; k < 2; ++k) {
      const Polyhedron& shape = body_[k].shape;
      const Vector d = k == 0 ? -n : n;
      double most = -1e300;
      for (const Vector& x : scratch_.corners[k]) most = std::max(most, dot(d, x));
      const double least = most - layer * reach_of(body_[k].solid());
      std::vector<int>&faces = scratch_.faces[k], &edges = scratch_.edges[k];
      faces.clear(), edges.clear();
      for (std::size_t c = 0; c < shape.corners.size(); ++c) {
        if (dot(d, scratch_.corners[k][c]) < least) continue;
        for (int e = shape.first_at[c]; e < shape.first_at[c + 1]; ++e) {
          const Polyhedron::Edge& edge = shape.edges[shape.at_corner[e]];
          edges.push_back(shape.at_corner[e]);
          faces.push_back(edge.left), faces.push_back(edge.right);
        }
      }
      for (std::vector<int>* list : {&faces, &edges}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
      }
    }
  }

  FlatAxes best_of_chosen(double enough) const {
    FlatAxes best;
    for (int k = 0; k < 2; ++k)
      for (const int face : scratch_.faces[k]) {
        const Vector n = body_[k].normal(face);
        double least = 1e300;
        for (const Vector& x : scratch_.corners[1 - k]) least = std::min(least, dot(n, x));
        FlatAxis axis{k == 0 ? -n : n, least - body_[k].level(face, n)};
        (k == 0 ? axis.face_a : axis.face_b) = face;
        best.offer(k, axis);
        if (axis.apart > enough) return best;
      }
    try_edges(best);
    return best;
  }

  SeenEdge seen(int body, int edge) const {
    const FlatSolid& flat = body_[body];
    const Polyhedron::Edge& of = flat.shape.edges[edge];
    return {edge, flat.along(of), flat.normal(of.left), flat.normal(of.right)};
  }

  void try_edges(FlatAxes& best) const {
    scratch_.seen.clear();
    for (const int j : scratch_.edges[1]) scratch_.seen.push_back(seen(1, j));
    for (const int i : scratch_.edges[0]) {
      const SeenEdge a = seen(0, i);
      const Vector& from_a = scratch_.corners[0][body_[0].shape.edges[i].from];
      for (const SeenEdge& b : scratch_.seen) {
        const double x = dot(a.along, b.left), y = dot(a.along, b.right);
        if (x * y > 0) continue;
        const double u = dot(b.along, a.left), v = dot(b.along, a.right);
        if (u * v > 0 || (x < y) != (u < v)) continue;
        const Vector across = cross(a.along, b.along);
        const double length = norm(across);
        if (!(length > parallel_edges)) continue;
        const Vector n = ((x < y ? 1 : -1) / length) * across;
        const Vector& from_b = scratch_.corners[1][body_[1].shape.edges[b.edge].from];
        best.offer(2, {n, dot(n, from_a - from_b), -1, -1, i, b.edge});
      }
    }
  }

  const FlatSolid body_[2];
  TouchScratch& scratch_;
};

}  // namespace

void find_polyhedron_places(const Solid& a, const Solid& b, double reach, TouchScratch& scratch,
                            std::vector<TouchPlace>& places) {
  const FlatSolid flat_a(a), flat_b(b);
  AxisSearch search(flat_a, flat_b, scratch);
  add_axis_places(flat_a, flat_b, search.find(reach), search.small(), reach, scratch, places);
}

}  // namespace cartan::mechanics
