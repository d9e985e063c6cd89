// About in which direction two convex bodies are nearest to each other.
#pragma once

#include <vector>

#include "core/vec3.h"

namespace cartan::mechanics {

// From b to a: between the nearest points of both when they are made smaller about their middles,
// so that they do not overlap. Only good for a search to begin with: the method (Gilbert, Johnson,
// Keerthi 1988) goes on until it no longer comes nearer by much.
Vec3<double> nearest_direction(const std::vector<Vec3<double>>& corners_a,
                               const Vec3<double>& middle_a,
                               const std::vector<Vec3<double>>& corners_b,
                               const Vec3<double>& middle_b);

}  // namespace cartan::mechanics
