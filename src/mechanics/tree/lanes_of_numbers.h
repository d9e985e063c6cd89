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
// The larger of a and |b|.
inline Lanes larger(const Lanes& a, const Lanes& b) {
  const Lanes size = b < 0 ? -b : b;
  return a < size ? size : a;
}
inline double largest_of(const Lanes& a) {
  double most = a[0];
  for (int k = 1; k < width; ++k) most = most < a[k] ? a[k] : most;
  return most;
}
inline int round_up(int n) {
  return (n + width - 1) / width * width;
}

}  // namespace cartan::mechanics::lanes
