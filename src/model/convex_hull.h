// The convex hull of points, as a mesh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/mesh.h"

namespace cartan::model {

// Faces anticlockwise from outside; points nearer to a face than `within` of the extent count as
// being on it. Empty where all lie in a plane. Ends unfinished beyond `most` triangles: the time
// grows with points times triangles.
Mesh convex_hull(const std::vector<Vec3<double>>& points, double within = 1e-12,
                 std::size_t most = SIZE_MAX);

}  // namespace cartan::model
