// Pairs of balls that overlap, in a time that grows with the number of balls and pairs: space is
// cut into cubes as large as the largest ball, and each ball meets those of the cubes around its
// own. (Balls about shapes, with the room they may need within a step.)
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/vec3.h"

namespace cartan::mechanics {

struct Ball {
  Vec3<double> centre;
  double radius = 0;
};

class BroadPhase {
 public:
  // Pairs (i, j), i < j, in an order that depends on the positions alone.
  const std::vector<std::pair<int, int>>& find_pairs(const std::vector<Ball>& balls);

 private:
  struct Entry {
    std::uint64_t cell;
    int ball;
  };
  std::vector<Entry> entries_;
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace cartan::mechanics
