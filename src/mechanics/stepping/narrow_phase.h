// Where two shapes are nearest to each other, in closed form: spheres, capsules, boxes, convex
// bodies with plane faces, planes and hollow spheres. Several places where surfaces may lie flat on
// each other: corners of a box, ends of a capsule, the polygon that two faces have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "core/vec3.h"
#include "model/polyhedron.h"

namespace cartan::mechanics {

enum class SolidKind : unsigned char { sphere, capsule, box, polyhedron, plane, hollow };

// A shape in the world.
struct Solid {
  SolidKind kind = SolidKind::sphere;
  Vec3<double> p;                    // centre; of a plane a point of it
  Mat3<double> R;                    // axes; capsule: along the third
  double radius = 0;                 // sphere, capsule, hollow
  double length = 0;                 // capsule: half of it, between the centres of its ends
  Vec3<double> half;                 // box
  Vec3<double> normal;               // plane
  const Polyhedron* body = nullptr;  // polyhedron: corners about p, its middle
};

// Largest distance of a point of the shape from its centre; planes and hollow spheres have none.
double reach_of(const Solid& solid);

struct TouchPlace {
  Vec3<double> point, normal;  // the normal leads from b to a
  double gap = 0;
  std::uint32_t feature = 0;  // tells the places of one pair apart, the same in the next step
};
// Of those beside two edges that touch, between two edges, between corners and edges or corners.
inline constexpr std::uint32_t beside_features = std::uint32_t{1} << 30;
inline constexpr std::uint32_t edge_features = std::uint32_t{1} << 31;
inline constexpr std::uint32_t corner_features = std::uint32_t{3} << 30;

// An edge with the normals of the faces left and right of it, in the world.
struct SeenEdge {
  int edge = 0;
  Vec3<double> along, left, right;
};

// Of one thread; it grows until it is warm.
struct TouchScratch {
  std::vector<Vec3<double>> polygon, rest;       // a face, cut
  std::vector<Vec3<double>> corners[2];          // of two polyhedra, in the world
  std::vector<int> near[2], faces[2], edges[2];  // their corners, faces and edges that may count
  std::vector<SeenEdge> seen;
  std::uint32_t largest_face = 0;
};

// Adds the places with a gap below `reach`. b may be a plane or hollow, a may not.
void find_touch_places(const Solid& a, const Solid& b, double reach, TouchScratch& scratch,
                       std::vector<TouchPlace>& places);

// Axes of two bodies with plane faces: one of a later rank (faces of b after those of a, edges
// after faces) has to be better by this part of the smaller body's least half width; edges at a
// smaller angle are parallel.
inline constexpr double clearly_better = 1e-3, parallel_edges = 1e-6;

// Two boxes (box_pairs.cpp), two bodies with plane faces (polyhedron_pairs.cpp): the axis of least
// overlap, then faces cut against each other or the nearest points of two edges.
void find_box_places(const Solid& a, const Solid& b, double reach, TouchScratch& scratch,
                     std::vector<TouchPlace>& places);
void find_polyhedron_places(const Solid& a, const Solid& b, double reach, TouchScratch& scratch,
                            std::vector<TouchPlace>& places);
// polyhedron_places.cpp: a ball about x; what of a capsule lies between its ends.
void add_ball_on_polyhedron(const Vec3<double>& x, double r, const Solid& solid, double reach,
                            std::uint32_t feature, std::vector<TouchPlace>& places);
void add_capsule_on_flat(const Solid& a, const Solid& solid, double reach,
                         std::vector<TouchPlace>& places);

}  // namespace cartan::mechanics
