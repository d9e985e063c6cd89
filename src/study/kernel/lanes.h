// The number type of kernels: V is a SIMD vector (CARTAN_LANES doubles), a
// double (one lane, for tests), or the double of a GPU's thread. M holds one truth per lane.
//
// This text is compiled at run time, in front of generated code, by g++, clang++, nvcc or NVRTC. It
// includes nothing of Cartan. Sums with a product are fused where the text says so (lane_fma) and
// nowhere else, and functions are our own (functions.h): the same bits on every processor with
// fused operations, whatever the number of lanes.
#pragma once

#ifndef CARTAN_LANES
#define CARTAN_LANES 1
#endif

#if defined(__CUDACC__)
#define LANE_INLINE static __device__ __forceinline__
#define LANE_PART static __device__ __noinline__
#define LANE_TABLE static __device__ const
#define LANE_LIST static __constant__ const
#define LANE_MEMBER __device__ __forceinline__
#ifndef LANE_MEMBER_APART
#define LANE_MEMBER_APART __device__ __noinline__
#endif
#define LANE_UNROLL _Pragma("unroll")
#define LANE_SCALAR static __device__ inline
#define lane_undefined __longlong_as_double(0x7ff8000000000000ll)
#define lane_floor_of floor
#else
#define LANE_INLINE static inline __attribute__((always_inline))
#define LANE_PART static __attribute__((noinline))
#define LANE_TABLE static const
#define LANE_LIST static const
#define LANE_MEMBER inline __attribute__((always_inline))
#define LANE_MEMBER_APART __attribute__((noinline))
#define LANE_UNROLL
#define LANE_SCALAR static inline
#define lane_undefined __builtin_nan("")
#define lane_floor_of __builtin_floor
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
