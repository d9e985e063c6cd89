// The scalar functions behind every closed form in this folder, as functions of x = t^2, where t is
// the length of a rotation vector:
//
//   cosine(x)                cos t
//   sinc(x)                  sin t / t
//   exp2_coefficient(x)      (1 - cos t) / t^2                    = 1/2 - x/24 + ...
//   exp3_coefficient(x)      (t - sin t) / t^3                    = 1/6 - x/120 + ...
//   exp2_slope, exp3_slope   their derivatives by x
//   dexp_inverse_coefficient (1 - (t/2) cot(t/2)) / t^2           = 1/12 + x/720 + ...
//   dexp_inverse_slope       its derivative by x
//   arc_ratio(y)             atan(r) / r with r^2 = y             = 1 - y/3 + ...
//
// All are entire or analytic in x, so a dual number passed as x gets the exact derivative, at x = 0
// too. Three devices keep every digit:
//   - a power series where the closed form would subtract nearly equal numbers, up to arguments so
//     large that just above the switch the closed form and its derivative lose hardly a bit;
//   - (1 - cos t)/t^2 = sinc(t/2)^2 / 2, which needs no subtraction at all;
//   - the partial fractions of the cotangent, a sum of positive terms, for dexp^-1.
// Branches go through `select`, which evaluates both sides: the side not taken gets a harmless
// argument, so that neither values nor derivatives can become NaN.
#pragma once

#include <array>
#include <cstddef>

#include "core/scalar.h"

namespace cartan::lie::series {

// Where the power series of sinc and cosine, of the other coefficients, and of arc_ratio end.
inline constexpr double sinc_switch = 1.0;
inline constexpr double coefficient_switch = 16.0;
inline constexpr double arc_switch = 0.125;

// sum c[j] x^j
template <class S, std::size_t N>
S horner(const std::array<double, N>& c, const S& x) {
  S sum = S(c[N - 1]);
  for (std::size_t j = N - 1; j-- > 0;) sum = sum * x + S(c[j]);
  return sum;
}

constexpr long double factorial(int n) {
  return n < 2 ? 1.0L : n * factorial(n - 1);
}

// (-1)^j / (2j + k)!: the even-step tails of the exponential series
template <int k, int N>
constexpr std::array<double, N> tail_of_exp() {
  std::array<double, N> c{};
  for (int j = 0; j < N; ++j)
    c[j] = static_cast<double>((j % 2 ? -1.0L : 1.0L) / factorial(2 * j + k));
  return c;
}

// the coefficients of the derivative of tail_of_exp<k>
template <int k, int N>
constexpr std::array<double, N> slope_of_tail() {
  std::array<double, N> c{};
  for (int j = 0; j < N; ++j)
    c[j] = static_cast<double>((j % 2 ? 1.0L : -1.0L) * (j + 1) / factorial(2 * j + 2 + k));
  return c;
}

// cos t and sin t / t with one call of sincos
template <class S>
void cosine_and_sinc(const S& x, S& cosine, S& sinc) {
  static constexpr auto cosine_series = tail_of_exp<0, 11>();
  static constexpr auto sinc_series = tail_of_exp<1, 11>();
  const auto small = less(x, S(sinc_switch));
  const S t = sqrt(select(small, S(1), x));
  S sine_t, cosine_t;
  sincos(t, sine_t, cosine_t);
  cosine = select(small, horner(cosine_series, x), cosine_t);
  sinc = select(small, horner(sinc_series, x), sine_t / t);
}

template <class S>
S cosine(const S& x) {
  S c, s;
  cosine_and_sinc(x, c, s);
  return c;
}

template <class S>
S sinc(const S& x) {
  S c, s;
  cosine_and_sinc(x, c, s);
  return s;
}

// Everything exp and dexp need at one x from a single sincos, at the half angle:
//   sinc(t) = sinc(t/2) cos(t/2),   (1 - cos t)/t^2 = sinc(t/2)^2 / 2
template <class S>
struct HalfAngle {
  S x, sinc, exp2;  // t^2, sin t/t, (1 - cos t)/t^2

  explicit HalfAngle(const S& x_) : x(x_) {
    S c, s;
    cosine_and_sinc(S(0.25) * x, c, s);
    sinc = s * c;
    exp2 = S(0.5) * s * s;
  }
  // the power series below the switch, otherwise numerator / x
  template <std::size_t N>
  S series_or_quotient(const std::array<double, N>& terms, const S& numerator) const {
    const auto small = less(x, S(coefficient_switch));
    const S safe = select(small, S(coefficient_switch), x);
    return select(small, horner(terms, x), numerator / safe);
  }
  // (t - sin t)/t^3
  S exp3() const {
    static constexpr auto terms = tail_of_exp<3, 17>();
    return series_or_quotient(terms, S(1) - sinc);
  }
  // d/dx (1 - cos t)/t^2
  S exp2_slope() const {
    static constexpr auto terms = slope_of_tail<2, 17>();
    return series_or_quotient(terms, S(0.5) * sinc - exp2);
  }
  // d/dx (t - sin t)/t^3, given that function's value
  S exp3_slope(const S& exp3) const {
    static constexpr auto terms = slope_of_tail<3, 17>();
    return series_or_quotient(terms, S(0.5) * exp2 - S(1.5) * exp3);
  }
};

template <class S>
S exp2_coefficient(const S& x) {
  return HalfAngle<S>(x).exp2;
}
template <class S>
S exp3_coefficient(const S& x) {
  return HalfAngle<S>(x).exp3();
}
template <class S>
S exp2_slope(const S& x) {
  return HalfAngle<S>(x).exp2_slope();
}
template <class S>
S exp3_slope(const S& x) {
  const HalfAngle<S> half(x);
  return half.exp3_slope(half.exp3());
}

// The partial fractions of the cotangent give, with P_k = (2 pi k)^2,
//
//   (1 - (t/2) cot(t/2)) / t^2 = 2 sum_k 1/(P_k - x)
//     = 2/(P_1 - x) + 2/(P_2 - x) + sum_j x^j c_j,     c_j = 2 sum_{k>=3} P_k^-(j+1).
//
// Every term is positive for x < P_1: nothing cancels from zero to the pole at the full turn, so no
// switch is needed. With 16 terms the rest is below rounding up to the full turn; that is the whole
// range dexp^-1 is meant for (past it the truncation shows: 2e-10 at t = 3 pi).
inline constexpr double first_pole = 39.47841760435743;            // P_1, rounded
inline constexpr double first_pole_rest = 2.5061182034958847e-15;  // P_1 minus its rounded value
inline constexpr double second_pole = 157.91367041742973790;
inline constexpr std::array<double, 16> cotangent_tail = {
    0.020007593556872226181,   0.00002543812068862562158, 5.5845683904944151311e-8,
    1.4088241574761046862e-10, 3.7567162002157978115e-13, 1.0280125375360461078e-15,
    2.8500221292137912383e-18, 7.9555754107198449836e-21, 2.2289326645537011567e-23,
    6.2574711508057722392e-26, 1.7586730492909679891e-28, 4.9458469500579387389e-31,
    1.3913826789080879928e-33, 3.9150442526453142427e-36, 1.1017268914671418779e-38,
    3.1005426917707374787e-41};

template <std::size_t N>
constexpr std::array<double, N - 1> derivative(const std::array<double, N>& c) {
  std::array<double, N - 1> d{};
  for (std::size_t j = 1; j < N; ++j) d[j - 1] = static_cast<double>(j) * c[j];
  return d;
}

template <class S>
S dexp_inverse_coefficient(const S& x) {
  const S to_first = (S(first_pole) - x) + S(first_pole_rest);
  return S(2) / to_first + (S(2) / (S(second_pole) - x) + horner(cotangent_tail, x));
}

template <class S>
S dexp_inverse_slope(const S& x) {
  static constexpr auto tail = derivative(cotangent_tail);
  const S to_first = (S(first_pole) - x) + S(first_pole_rest);
  return S(2) / square(to_first) + (S(2) / square(S(second_pole) - x) + horner(tail, x));
}

// (-1)^j / (2j + 1)
template <int N>
constexpr std::array<double, N> arc_series() {
  std::array<double, N> c{};
  for (int j = 0; j < N; ++j) c[j] = (j % 2 ? -1.0 : 1.0) / (2 * j + 1);
  return c;
}

// atan(sqrt(y))/sqrt(y) for 0 <= y < arc_switch only: the caller has a closed form for the rest
template <class S>
S arc_ratio(const S& y) {
  static constexpr auto terms = arc_series<20>();
  return horner(terms, y);
}

}  // namespace cartan::lie::series
