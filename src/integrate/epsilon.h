#pragma once

#include <limits>

namespace cartan {

inline constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace cartan
