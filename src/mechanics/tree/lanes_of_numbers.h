// Eight numbers side by side, at any address: columns of motion_slopes.h.
#pragma once

#include "core/folders.h"

namespace cartan::mechanics::lanes {

inline constexpr int width = 8;

typedef double Lanes __attribute__((vector_size(64)));

inline Lanes load(const double* at) {
  Lanes r;
  __builtin_memcpy(&r, at, sizeof r);
  return r;
}
inline void put(double* at, const Lanes& value) {
  __builtin_memcpy(at, &value, sizeof value);
}
inline int round_up(int n) {
  return (n + width - 1) / width * width;
}

}  // namespace cartan::mechanics::lanes
