#pragma once

#include <limits>

namespace cartan {

inline constexpr double double_epsilon = std::numeric_limits<double>::epsilon();

}  // namespace cartan
