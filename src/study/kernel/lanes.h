// The number type of kernels, and its functions: V is a SIMD vector (CARTAN_LANES doubles), a
// double (one lane, for tests), or the double of a GPU's thread. M holds one truth per lane.
//
// This text is compiled at run time, in front of generated code, by g++, clang++, nvcc or NVRTC. It
// includes nothing of Cartan. Sums with a product are fused where the text says so (lane_fma) and
// nowhere else, and sine, cosine, exponential and logarithm are our own: the same bits on every
// processor with fused operations, whatever the number of lanes.
#pragma once

#ifndef CARTAN_LANES
#define CARTAN_LANES 1
#endif

#if defined(__CUDACC__)
#define LANE_INLINE static __device__ __forceinline__
#define LANE_PART static __device__ __noinline__
#define LANE_TABLE static __device__ const
#define LANE_MEMBER __device__ __forceinline__
#ifndef LANE_MEMBER_APART
#define LANE_MEMBER_APART __device__ __noinline__
#endif
#define LANE_UNROLL _Pragma("unroll")
#define lane_undefined __longlong_as_double(0x7ff8000000000000ll)
#else
#define LANE_INLINE static inline __attribute__((always_inline))
#define LANE_PART static __attribute__((noinline))
#define LANE_TABLE static const
#define LANE_MEMBER inline __attribute__((always_inline))
#define LANE_MEMBER_APART __attribute__((noinline))
#define LANE_UNROLL
#define lane_undefined __builtin_nan("")
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#endif
#ifndef LANE_FUNCTION
#define LANE_FUNCTION LANE_PART
#endif
#ifndef LANE_RATES
#define LANE_RATES LANE_PART
#endif

// For i = 0 .. count-1: target = value, where both may use i. In a team's leading warps the numbers
// lie in memory: LANE_CHUNK of them are read before any is written, so that one need not wait for
// the other, in a short loop, because code that is not at hand takes longer to come than numbers.
#ifdef LANE_CHUNK
#define LANE_EACH_LOOP _Pragma("unroll 1")
#else
#define LANE_CHUNK 1
#define LANE_EACH_LOOP LANE_UNROLL
#endif
#define LANE_EACH(count, i, target, value)                      \
  {                                                             \
    enum { whole_ = (count) / LANE_CHUNK * LANE_CHUNK };        \
    LANE_EACH_LOOP                                              \
    for (int first_ = 0; first_ < whole_; first_ += LANE_CHUNK) \
      LANE_EACH_PART(LANE_CHUNK, first_, i, target, value)      \
    LANE_EACH_PART((count)-whole_, whole_, i, target, value)    \
  }
#define LANE_EACH_PART(size, first, i, target, value) \
  {                                                   \
    V held_[LANE_CHUNK];                              \
    LANE_UNROLL                                       \
    for (int j_ = 0; j_ < (size); ++j_) {             \
      const int i = (first) + j_;                     \
      held_[j_] = (value);                            \
    }                                                 \
    LANE_UNROLL                                       \
    for (int j_ = 0; j_ < (size); ++j_) {             \
      const int i = (first) + j_;                     \
      (target) = held_[j_];                           \
    }                                                 \
  }

// ------------------------------------------------------------------------------------------- types

#if CARTAN_LANES > 1

typedef double V __attribute__((vector_size(8 * CARTAN_LANES)));
typedef long long Bits __attribute__((vector_size(8 * CARTAN_LANES)));
typedef decltype(V{} < V{}) M;
#define lane_number(value) (V{} + (value))

LANE_INLINE V lane_select(M m, V a, V b) {
  return m ? a : b;
}
LANE_INLINE bool lane_any(M m) {
  long long sum = 0;
  for (int l = 0; l < CARTAN_LANES; ++l) sum |= m[l];
  return sum != 0;
}
LANE_INLINE bool lane_is(M m, int lane) {
  return m[lane] != 0;
}
LANE_INLINE void lane_set(M& m, int lane, bool value) {
  m[lane] = value ? -1 : 0;
}
LANE_INLINE double lane_get(V x, int lane) {
  return x[lane];
}
LANE_INLINE void lane_put(V& x, int lane, double value) {
  x[lane] = value;
}
LANE_INLINE M lane_not(M m) {
  return ~m;
}
LANE_INLINE M lane_truth(bool value) {
  return (V{} < (V{} + (value ? 1.0 : 0.0)));
}
LANE_INLINE Bits lane_bits(V x) {
  return (Bits)x;
}
LANE_INLINE V lane_from_bits(Bits x) {
  return (V)x;
}
LANE_INLINE M lane_bit(Bits x, long long bit) {
  return (M)((x & bit) != 0);
}

#if CARTAN_LANES == 8 && defined(__AVX512F__)
LANE_INLINE V lane_fma(V a, V b, V c) {
  return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
LANE_INLINE V lane_fms(V a, V b, V c) {
  return (V)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
LANE_INLINE V lane_fnma(V a, V b, V c) {
  return (V)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
LANE_INLINE V lane_sqrt(V a) {
  return (V)_mm512_sqrt_pd((__m512d)a);
}
#elif CARTAN_LANES == 4 && defined(__FMA__)
LANE_INLINE V lane_fma(V a, V b, V c) {
  return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
LANE_INLINE V lane_fms(V a, V b, V c) {
  return (V)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
LANE_INLINE V lane_fnma(V a, V b, V c) {
  return (V)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
LANE_INLINE V lane_sqrt(V a) {
  return (V)_mm256_sqrt_pd((__m256d)a);
}
#else
LANE_INLINE V lane_fma(V a, V b, V c) {
#if defined(__FMA__) || defined(__aarch64__)
  V r = c;
  for (int l = 0; l < CARTAN_LANES; ++l) r[l] = __builtin_fma(a[l], b[l], c[l]);
  return r;
#else
  return a * b + c;
#endif
}
LANE_INLINE V lane_fms(V a, V b, V c) {
  return lane_fma(a, b, -c);
}
LANE_INLINE V lane_fnma(V a, V b, V c) {
  return lane_fma(-a, b, c);
}
LANE_INLINE V lane_sqrt(V a) {
  for (int l = 0; l < CARTAN_LANES; ++l) a[l] = __builtin_sqrt(a[l]);
  return a;
}
#endif

// A function of the mathematical library, lane by lane.
#define LANE_LIBRARY(name, builtin)                                          \
  LANE_INLINE V name(V x) {                                                  \
    for (int l = 0; l < CARTAN_LANES; ++l) x[l] = __builtin_##builtin(x[l]); \
    return x;                                                                \
  }
#define LANE_LIBRARY2(name, builtin)                                               \
  LANE_INLINE V name(V x, V y) {                                                   \
    for (int l = 0; l < CARTAN_LANES; ++l) x[l] = __builtin_##builtin(x[l], y[l]); \
    return x;                                                                      \
  }

#else

typedef double V;
typedef bool M;
typedef long long Bits;
#define lane_number(value) (value)

LANE_INLINE V lane_select(M m, V a, V b) {
  return m ? a : b;
}
LANE_INLINE bool lane_any(M m) {
  return m;
}
LANE_INLINE bool lane_is(M m, int) {
  return m;
}
LANE_INLINE void lane_set(M& m, int, bool value) {
  m = value;
}
LANE_INLINE double lane_get(V x, int) {
  return x;
}
LANE_INLINE void lane_put(V& x, int, double value) {
  x = value;
}
LANE_INLINE M lane_not(M m) {
  return !m;
}
LANE_INLINE M lane_truth(bool value) {
  return value;
}
LANE_INLINE M lane_bit(Bits x, long long bit) {
  return (x & bit) != 0;
}

#if defined(__CUDACC__)
LANE_INLINE Bits lane_bits(V x) {
  return __double_as_longlong(x);
}
LANE_INLINE V lane_from_bits(Bits x) {
  return __longlong_as_double(x);
}
LANE_INLINE V lane_fma(V a, V b, V c) {
  return __fma_rn(a, b, c);
}
LANE_INLINE V lane_sqrt(V a) {
  return sqrt(a);
}
#define LANE_LIBRARY(name, builtin) \
  LANE_INLINE V name(V x) {         \
    return ::builtin(x);            \
  }
#define LANE_LIBRARY2(name, builtin) \
  LANE_INLINE V name(V x, V y) {     \
    return ::builtin(x, y);          \
  }
#else
LANE_INLINE Bits lane_bits(V x) {
  Bits bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
LANE_INLINE V lane_from_bits(Bits bits) {
  V x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
LANE_INLINE V lane_fma(V a, V b, V c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
LANE_INLINE V lane_sqrt(V a) {
  return __builtin_sqrt(a);
}
#define LANE_LIBRARY(name, builtin) \
  LANE_INLINE V name(V x) {         \
    return __builtin_##builtin(x);  \
  }
#define LANE_LIBRARY2(name, builtin)  \
  LANE_INLINE V name(V x, V y) {      \
    return __builtin_##builtin(x, y); \
  }
#endif
LANE_INLINE V lane_fms(V a, V b, V c) {
  return lane_fma(a, b, -c);
}
LANE_INLINE V lane_fnma(V a, V b, V c) {
  return lane_fma(-a, b, c);
}

#endif

// --------------------------------------------------------------------------------------- functions

LANE_INLINE V lane_infinity() {
  return lane_from_bits(lane_bits(lane_number(0.0)) + 0x7ff0000000000000ll);
}
LANE_INLINE V lane_fabs(V x) {
  return lane_from_bits(lane_bits(x) & 0x7fffffffffffffffll);
}
LANE_INLINE V lane_min(V x, V y) {
  return lane_select(y < x, y, x);
}
LANE_INLINE V lane_max(V x, V y) {
  return lane_select(x < y, y, x);
}
LANE_INLINE V lane_sign(V x) {
  return lane_select(lane_number(0.0) < x, lane_number(1.0),
                     lane_select(x < lane_number(0.0), lane_number(-1.0), lane_number(0.0)));
}
LANE_INLINE V lane_step(V x) {
  return lane_select(x < lane_number(0.0), lane_number(0.0), lane_number(1.0));
}
LANE_INLINE V lane_if_positive(V c, V a, V b) {
  return lane_select(c > lane_number(0.0), a, b);
}
// Neither infinite nor not a number.
LANE_INLINE M lane_finite(V x) {
  return lane_fabs(x) <= lane_number(0x1.fffffffffffffp1023);
}

LANE_LIBRARY(lane_library_sin, sin)
LANE_LIBRARY(lane_library_cos, cos)
LANE_LIBRARY(lane_tan, tan)
LANE_LIBRARY(lane_asin, asin)
LANE_LIBRARY(lane_acos, acos)
LANE_LIBRARY(lane_atan, atan)
LANE_LIBRARY(lane_sinh, sinh)
LANE_LIBRARY(lane_cosh, cosh)
LANE_LIBRARY(lane_tanh, tanh)
LANE_LIBRARY(lane_floor, floor)
LANE_LIBRARY2(lane_atan2, atan2)
LANE_LIBRARY2(lane_pow, pow)

// x = n pi/2 + r, |r| <= pi/4, with pi/2 in three parts: the first product is exact inside the
// fused operation, so that nothing is lost near multiples of pi/2. Polynomials through Chebyshev
// points of the interval; within about 0.8 units of the last place. Angles above 2^30: the library.
LANE_INLINE void lane_sincos(V x, V* sine, V* cosine) {
  const V magic = lane_number(0x1.8p52);
  const V shifted = lane_fma(x, lane_number(0x1.45f306dc9c883p-1), magic);
  const Bits quadrant = lane_bits(shifted);  // its last digits
  const V n = shifted - magic;
  V r = lane_fnma(n, lane_number(0x1.921fb54442d18p+0), x);
  r = lane_fnma(n, lane_number(0x1.1a62633145c07p-54), r);
  r = lane_fnma(n, lane_number(-0x1.f1976b7ed8fbcp-110), r);
  const V z = r * r;
  V s = lane_fma(z, lane_number(0x1.5e0af18699f16p-33), lane_number(-0x1.ae600a926c40bp-26));
  s = lane_fma(z, s, lane_number(0x1.71de37961e4c0p-19));
  s = lane_fma(z, s, lane_number(-0x1.a01a019e8357cp-13));
  s = lane_fma(z, s, lane_number(0x1.1111111110bb1p-7));
  s = lane_fma(z, s, lane_number(-0x1.5555555555555p-3));
  s = lane_fma(r * z, s, r);
  V c = lane_fma(z, lane_number(-0x1.907d7aebc05d2p-37), lane_number(0x1.1eeb68b108f2bp-29));
  c = lane_fma(z, c, lane_number(-0x1.27e4fa17a41b1p-22));
  c = lane_fma(z, c, lane_number(0x1.a01a019f4e867p-16));
  c = lane_fma(z, c, lane_number(-0x1.6c16c16c16966p-10));
  c = lane_fma(z, c, lane_number(0x1.5555555555555p-5));
  c = lane_fma(z * z, c, lane_fnma(z, lane_number(0.5), lane_number(1.0)));
  const M odd = lane_bit(quadrant, 1);
  const V first = lane_select(odd, c, s), second = lane_select(odd, s, c);
  *sine = lane_select(lane_bit(quadrant, 2), -first, first);
  *cosine = lane_select(lane_bit(quadrant + 1, 2), -second, second);
  const M large = lane_fabs(x) > lane_number(0x1p30);
  if (lane_any(large)) {
    *sine = lane_select(large, lane_library_sin(x), *sine);
    *cosine = lane_select(large, lane_library_cos(x), *cosine);
  }
}
LANE_INLINE V lane_sin(V x) {
  V s, c;
  lane_sincos(x, &s, &c);
  return s;
}
LANE_INLINE V lane_cos(V x) {
  V s, c;
  lane_sincos(x, &s, &c);
  return c;
}

// 2^k for whole k from -1022 to 1023.
LANE_INLINE V lane_power_of_two(V k) {
  return lane_from_bits((lane_bits(k + lane_number(0x1.8p52)) + 1023) << 52);
}
// x = k log 2 + r, |r| <= log(2)/2.
LANE_INLINE V lane_exp(V x) {
  const V clipped = lane_min(lane_max(x, lane_number(-750.0)), lane_number(710.0));
  const V magic = lane_number(0x1.8p52);
  const V k = lane_fma(clipped, lane_number(0x1.71547652b82fep+0), magic) - magic;
  V r = lane_fnma(k, lane_number(0x1.62e42fefa39efp-1), clipped);
  r = lane_fnma(k, lane_number(0x1.abc9e3b39803fp-56), r);
  V e = lane_fma(r, lane_number(0x1.61bff1c64f494p-33), lane_number(0x1.1f7f6aa421dd8p-29));
  e = lane_fma(r, e, lane_number(0x1.ae642c5c1fa33p-26));
  e = lane_fma(r, e, lane_number(0x1.27e4d3f50d87fp-22));
  e = lane_fma(r, e, lane_number(0x1.71de3a5aaefb9p-19));
  e = lane_fma(r, e, lane_number(0x1.a01a01a9f72adp-16));
  e = lane_fma(r, e, lane_number(0x1.a01a01a01969bp-13));
  e = lane_fma(r, e, lane_number(0x1.6c16c16c15a48p-10));
  e = lane_fma(r, e, lane_number(0x1.1111111111111p-7));
  e = lane_fma(r, e, lane_number(0x1.5555555555557p-5));
  e = lane_fma(r, e, lane_number(0x1.5555555555555p-3));
  e = lane_fma(r, e, lane_number(0.5));
  e = lane_fma(r * r, e, r) + lane_number(1.0);
  // in two factors: the ends of the range are reached without leaving it
  const V half = lane_fma(k, lane_number(0.5), magic) - magic;
  const V result = e * lane_power_of_two(half) * lane_power_of_two(k - half);
  return lane_select(x == x, result, x);
}
// x = 2^e m, m from 0.707 to 1.414; log m = 2 artanh s, s = (m - 1)/(m + 1).
LANE_INLINE V lane_log(V x) {
  const M tiny = x < lane_number(0x1p-1022);
  const V scaled = lane_select(tiny, x * lane_number(0x1p54), x);
  const Bits bits = lane_bits(scaled);
  const Bits shifted = bits - 0x3fe6a09e667f3bcdll;  // of sqrt(1/2)
  const Bits exponent = shifted >> 52;
  V e = lane_from_bits(exponent + 0x4338000000000000ll) - lane_number(0x1.8p52);
  e = lane_select(tiny, e - lane_number(54.0), e);
  const V m = lane_from_bits(bits - (exponent << 52));
  const V s = (m - lane_number(1.0)) / (m + lane_number(1.0)), z = s * s;
  V q = lane_fma(z, lane_number(0x1.0c04394f827d5p-4), lane_number(0x1.0fbe86d325df3p-4));
  q = lane_fma(z, q, lane_number(0x1.3b1c35ea19624p-4));
  q = lane_fma(z, q, lane_number(0x1.745cf901ea3e4p-4));
  q = lane_fma(z, q, lane_number(0x1.c71c72015f6a2p-4));
  q = lane_fma(z, q, lane_number(0x1.2492492476c92p-3));
  q = lane_fma(z, q, lane_number(0x1.9999999999a38p-3));
  q = lane_fma(z, q, lane_number(0x1.5555555555555p-2));
  const V twice = s + s;
  const V low = lane_fma(twice * z, q, e * lane_number(0x1.abc9e3b39803fp-56));
  const V result = lane_fma(e, lane_number(0x1.62e42fefa39efp-1), twice + low);
  const V infinite = lane_infinity();
  V special = lane_select(x == lane_number(0.0), -infinite, x);  // infinite, or not a number
  special = lane_select(x < lane_number(0.0), infinite - infinite, special);
  return lane_select((x > lane_number(0.0)) & (x < infinite), result, special);
}

// Derivative `order` of a table with the cubic pieces {x0, c0, c1, c2, c3} up to x = last. Outside:
// 0 no value, 1 the values of the ends, 2 it repeats, 3 the end pieces continue.
#if defined(__CUDACC__)
static __device__
#else
static
#endif
    inline double
    lane_table_at(const double (*piece)[5], int count, double last, int outside, int order,
                  double x) {
  const double first = piece[0][0], period = last - first;
  if (outside == 2) {
#if defined(__CUDACC__)
    x -= period * floor((x - first) / period);
#else
    x -= period * __builtin_floor((x - first) / period);
#endif
  } else if (x < first || x > last) {
    if (outside == 0 && !(x >= first - 1e-9 * period && x <= last + 1e-9 * period))
      return lane_undefined;
    if (outside == 1) {
      if (order > 0) return 0.0;
      x = x < first ? first : last;
    }
  }
  int low = 0, high = count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (x < piece[middle][0])
      high = middle;
    else
      low = middle;
  }
  const double* c = piece[low] + 1;
  const double s = x - piece[low][0];
  switch (order) {
    case 0:
      return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    case 1:
      return c[1] + s * (2.0 * c[2] + s * 3.0 * c[3]);
    case 2:
      return 2.0 * c[2] + s * 6.0 * c[3];
    default:
      return 6.0 * c[3];
  }
}
LANE_INLINE V lane_table(const double (*piece)[5], int count, double last, int outside, int order,
                         V x) {
  for (int l = 0; l < CARTAN_LANES; ++l)
    lane_put(x, l, lane_table_at(piece, count, last, outside, order, lane_get(x, l)));
  return x;
}
