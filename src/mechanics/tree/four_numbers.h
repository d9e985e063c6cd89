// Four numbers side by side, at any address: the kernels of motion_slopes.h.
#pragma once

namespace cartan::fours {

typedef double Four __attribute__((vector_size(32)));

inline Four four(const double* at) {
  Four r;
  __builtin_memcpy(&r, at, sizeof r);
  return r;
}
inline void put(double* at, const Four& value) {
  __builtin_memcpy(at, &value, sizeof value);
}
inline int round_up(int n, int to) {
  return (n + to - 1) / to * to;
}

}  // namespace cartan::fours
