// Where two shapes are nearest to each other, in closed form: spheres, capsules, boxes, planes and
// hollow spheres. Several places where surfaces may lie flat on each other: corners of a box, ends
// of a capsule, the polygon that two faces have in common.
#pragma once

#include <vector>

#include "core/vec3.h"

namespace cartan::mechanics {

enum class SolidKind : unsigned char { sphere, capsule, box, plane, hollow };

// A shape in the world.
struct Solid {
  SolidKind kind = SolidKind::sphere;
  Vec3<double> p;       // centre; of a plane a point of it
  Mat3<double> R;       // axes; capsule: along the third
  double radius = 0;    // sphere, capsule, hollow
  double length = 0;    // capsule: half of it, between the centres of its ends
  Vec3<double> half;    // box
  Vec3<double> normal;  // plane
};

// Largest distance of a point of the shape from its centre; planes and hollow spheres have none.
double reach_of(const Solid& solid);

struct TouchPlace {
  Vec3<double> point, normal;  // the normal leads from b to a
  double gap = 0;
  int feature = 0;  // tells the places of one pair apart, the same in the next step
};

// Adds the places with a gap below `reach`. b may be a plane or hollow, a may not.
void find_touch_places(const Solid& a, const Solid& b, double reach,
                       std::vector<TouchPlace>& places);
// Two boxes (box_pairs.cpp): the axis of least overlap, then faces clipped against each other or
// the nearest points of two edges.
void find_box_places(const Solid& a, const Solid& b, double reach, std::vector<TouchPlace>& places);

}  // namespace cartan::mechanics
