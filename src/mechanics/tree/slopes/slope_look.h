// When formulas of derivatives (motion_slopes.h) are compared with dual numbers: at the first
// Jacobian, and again once what their digits depend on has changed.
#pragma once

#include <span>
#include <vector>

#include "core/folders.h"

namespace cartan::mechanics {

class SlopeLook {
 public:
  // Whether the last comparison still stands: it left room, every condition is within a factor of
  // two of what it was then, and not too many Jacobians have gone by.
  bool holds(std::span<const double> conditions) {
    if (left_ == 0) return false;
    --left_;
    for (std::size_t k = 0; k < conditions.size(); ++k)
      if (!(conditions[k] <= 2 * noted_[k] && noted_[k] <= 2 * conditions[k])) return false;
    return true;
  }
  // error: in units of what is allowed.
  void note(std::span<const double> conditions, double error) {
    constexpr double room = 0.25;
    constexpr int most = 64;
    left_ = error <= room ? most : 0;
    noted_.assign(conditions.begin(), conditions.end());
  }

 private:
  std::vector<double> noted_;
  int left_ = 0;
};

}  // namespace cartan::mechanics
