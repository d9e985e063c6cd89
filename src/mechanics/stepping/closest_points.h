// Where two convex bodies that do not overlap are nearest to each other (Gilbert, Johnson, Keerthi
// 1988): of the differences of their corners, up to four are kept whose hull comes nearest to the
// origin.
#pragma once

#include <vector>

#include "core/vec3.h"

namespace cartan::mechanics {

// Corners of a body in the world, and a place inside of it.
struct CornerCloud {
  const std::vector<Vec3<double>>& corners;
  Vec3<double> middle;
};

struct ClosestPoints {
  Vec3<double> a, b;
  int corner_a = 0, corner_b = 0;  // of those that the points lie between
  double distance = 0;             // 0: they overlap
};
// To rounding where they are apart by more than 1e-9 of their size.
ClosestPoints find_closest_points(const CornerCloud& a, const CornerCloud& b);

// About the direction from b to a between their nearest points, if they overlap when both are made
// smaller about their middles: only good for a search to begin with.
Vec3<double> nearest_direction(const CornerCloud& a, const CornerCloud& b);

}  // namespace cartan::mechanics
