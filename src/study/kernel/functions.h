// Functions of the number type (lanes.h). Sine, cosine, exponential and logarithm are our own, the
// others those of the library.
#pragma once

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
