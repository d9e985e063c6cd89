// Sines and cosines of many angles at once, four abreast: what the library takes for one.
//
// x = k pi/2 + r, |r| <= pi/4, with pi/2 in three parts. The first two have 33 binary digits, so
// that their products with k (20 digits at most) are exact, and so is the first difference; what
// rounding takes from the second one is kept. Polynomials through Chebyshev points of the interval.
// Within 0.9 units of the last place to 1e4, 1.7 to 1e6; beyond, and what is no number, is left to
// the library. (The same stands in generated code: codegen/languages/turn_helper.cpp.)
#pragma once

#include <cmath>
#include <cstddef>

#include "core/lanes/lanes4.h"
#include "core/scalar.h"

namespace cartan::core {

inline constexpr std::size_t sine_group = 4;  // angles, sines and cosines stand in whole groups

inline void sincos4(const double* angle, double* sine, double* cosine) {
  using Bits = unsigned long long __attribute__((vector_size(32)));
  Lanes4 x;
  __builtin_memcpy(&x, angle, sizeof x);
  const Lanes4 shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;
  const Lanes4 k = shifted - 0x1.8p52;
  const Bits quarter = (Bits)shifted;
  const Lanes4 high = x - k * 0x1.921fb544p+0, low = k * 0x1.0b4611a6p-34;
  const Lanes4 r = high - low;
  const Lanes4 rest = (high - r - low) - k * 0x1.3198a2e037073p-69;
  const Lanes4 z = r * r;
  Lanes4 p = z * 0x1.5e0af18699f16p-33 - 0x1.ae600a926c40bp-26;
  p = z * p + 0x1.71de37961e4c0p-19;
  p = z * p - 0x1.a01a019e8357cp-13;
  p = z * p + 0x1.1111111110bb1p-7;
  p = z * p - 0x1.5555555555555p-3;
  const Lanes4 half = 0.5 * z, near_one = 1.0 - half;
  const Lanes4 s = r + (r * z * p + rest * near_one);
  p = z * -0x1.907d7aebc05d2p-37 + 0x1.1eeb68b108f2bp-29;
  p = z * p - 0x1.27e4fa17a41b1p-22;
  p = z * p + 0x1.a01a019f4e867p-16;
  p = z * p - 0x1.6c16c16c16966p-10;
  p = z * p + 0x1.5555555555555p-5;
  const Lanes4 c = near_one + ((1.0 - near_one - half) + (z * z * p - r * rest));
  const Bits odd = -(quarter & 1ull);
  const Bits sines = (((Bits)c & odd) | ((Bits)s & ~odd)) ^ ((quarter & 2ull) << 62);
  const Bits cosines = (((Bits)s & odd) | ((Bits)c & ~odd)) ^ (((quarter + 1ull) & 2ull) << 62);
  __builtin_memcpy(sine, &sines, sizeof sines);
  __builtin_memcpy(cosine, &cosines, sizeof cosines);
  for (int l = 0; l < 4; ++l)
    if (!(std::fabs(x[l]) <= 1e6)) sincos(x[l], sine[l], cosine[l]);
}

// `count` in whole groups; sines may stand where the angles are.
inline void fill_sines(std::size_t count, const double* angle, double* sine, double* cosine) {
  for (std::size_t k = 0; k < count; k += sine_group) sincos4(angle + k, sine + k, cosine + k);
}

}  // namespace cartan::core
