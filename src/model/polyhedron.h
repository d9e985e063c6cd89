// A convex body with plane faces: what a mesh, or the hull of one, touches as.
#pragma once

#include <string>
#include <vector>

#include "model/mesh.h"

namespace cartan::model {

struct Polyhedron {
  // n . x = level, n outward; corners loop[first ..], anticlockwise from outside.
  struct Face {
    Vec3<double> normal;
    double level = 0;
    int first = 0, size = 0;
  };
  // Of the face `left` it goes from `from` to `to`, of the face `right` back.
  struct Edge {
    int from = 0, to = 0, left = 0, right = 0;
  };
  std::vector<Vec3<double>> corners;
  std::vector<int> loop;
  std::vector<Face> faces;
  std::vector<Edge> edges;
  std::vector<int> at_corner, first_at;  // edges at corner c: at_corner[first_at[c] ..]

  Vec3<double> middle;  // of its volume, which is inside
  double reach = 0;     // largest distance of a corner from there
  double inner = 0;     // least distance of a face from there

  const Vec3<double>& corner_of(const Face& face, int k) const {
    return corners[loop[face.first + k]];
  }
};

// The hull of these points; triangles of it within 1e-7 of its extent of one plane are one face
// (files keep corners in single precision). No corners, and why in `problem`, where it has no
// inside or more than `most_corners` corners.
inline constexpr int most_corners = 2000;
Polyhedron make_polyhedron(const std::vector<Vec3<double>>& points, std::string& problem);

// With coordinates times these factors, none of them 0, and moved.
Polyhedron moved_polyhedron(const Polyhedron& from, const Vec3<double>& scale,
                            const Vec3<double>& by);

// "" or why the surface is not that of its hull: open, or somewhere inside of it by more than 1e-6
// of the extent.
std::string explain_not_convex(const Mesh& mesh, const Polyhedron& hull);

}  // namespace cartan::model
