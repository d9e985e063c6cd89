#pragma once

#include <limits>

#include "core/folders.h"

namespace cartan::integrate {

inline constexpr double double_epsilon = std::numeric_limits<double>::epsilon();

}  // namespace cartan::integrate
