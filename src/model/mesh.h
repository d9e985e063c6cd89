// A surface of triangles: for the eye, and where it is closed, for mass properties.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/vec3.h"

namespace cartan::model {

struct Mesh {
  std::vector<Vec3<double>> vertices;         // no two alike
  std::vector<std::array<int, 3>> triangles;  // anticlockwise seen from outside; none degenerate
};

// Corners of triangles one after the other, three each, as a mesh: equal corners become one vertex,
// triangles that have two equal corners vanish.
Mesh make_mesh(const std::vector<Vec3<double>>& corners);

// Integrals over the inside for density one.
struct MeshSolid {
  double volume = 0;
  Vec3<double> center;
  double second[6] = {0, 0, 0, 0, 0, 0};  // of x x^T about the centre: xx yy zz xy xz yz
};

// Exact for the polyhedron. "" or why it has none: a surface that is open, whose faces do not agree
// on what is outside, or that point inwards. What overlaps counts twice.
std::string calc_mesh_solid(const Mesh& mesh, MeshSolid& solid);

}  // namespace cartan::model
