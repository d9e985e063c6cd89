// The scalars physics is written over.
//
//   double    numbers
//   Dual<N>   a number with N directional derivatives (forward mode, exact)
//   Pack<N>   N numbers side by side (ensembles)
//
// Every kernel is a template over one scalar S and uses only the functions declared here, so that a
// further scalar (the symbolic expression) needs no second copy of any formula. Kernels never
// branch on an S: they call `select(less(a, b), x, y)`. What branches on data for good reason
// (convergence of an iteration) looks at `value_of` (the largest lane counts).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "core/folders.h"

namespace cartan::core {

inline constexpr double pi = 3.14159265358979323846;

// ---------------------------------------------------------------------------------------- double

inline double sin(double x) {
  return std::sin(x);
}
inline double cos(double x) {
  return std::cos(x);
}
inline double tan(double x) {
  return std::tan(x);
}
inline double asin(double x) {
  return std::asin(x);
}
inline double acos(double x) {
  return std::acos(x);
}
inline double atan(double x) {
  return std::atan(x);
}
inline double atan2(double y, double x) {
  return std::atan2(y, x);
}
inline double sinh(double x) {
  return std::sinh(x);
}
inline double cosh(double x) {
  return std::cosh(x);
}
inline double tanh(double x) {
  return std::tanh(x);
}
inline double exp(double x) {
  return std::exp(x);
}
inline double log(double x) {
  return std::log(x);
}
inline double sqrt(double x) {
  return std::sqrt(x);
}
inline double abs(double x) {
  return std::fabs(x);
}
inline double pow(double x, double y) {
  return std::pow(x, y);
}

inline bool less(double a, double b) {
  return a < b;
}
inline double select(bool c, double a, double b) {
  return c ? a : b;
}
inline double value_of(double x) {
  return x;
}

inline void sincos(double x, double& s, double& c) {
#if defined(__GLIBC__)
  ::sincos(x, &s, &c);
#else
  s = std::sin(x);
  c = std::cos(x);
#endif
}

// ------------------------------------------------------------------------------------------ Dual

template <int N>
struct Dual {
  double a = 0;               // value
  std::array<double, N> d{};  // derivatives along N directions

  Dual() = default;
  Dual(double value) : a(value) {}  // a constant; implicit on purpose, as for double
  static Dual variable(double value, int direction) {
    Dual x(value);
    x.d[direction] = 1;
    return x;
  }

  // f(x) with value fa and derivative slope f'(x)
  Dual chain(double fa, double slope) const {
    Dual r(fa);
    for (int k = 0; k < N; ++k) r.d[k] = slope * d[k];
    return r;
  }

  Dual& operator+=(const Dual& o) {
    a += o.a;
    for (int k = 0; k < N; ++k) d[k] += o.d[k];
    return *this;
  }
  Dual& operator-=(const Dual& o) {
    a -= o.a;
    for (int k = 0; k < N; ++k) d[k] -= o.d[k];
    return *this;
  }
  Dual& operator*=(const Dual& o) { return *this = *this * o; }
  Dual& operator/=(const Dual& o) { return *this = *this / o; }

  friend Dual operator+(Dual x, const Dual& y) { return x += y; }
  friend Dual operator-(Dual x, const Dual& y) { return x -= y; }
  friend Dual operator-(const Dual& x) { return x.chain(-x.a, -1); }
  friend Dual operator*(const Dual& x, const Dual& y) {
    Dual r(x.a * y.a);
    for (int k = 0; k < N; ++k) r.d[k] = x.a * y.d[k] + y.a * x.d[k];
    return r;
  }
  friend Dual operator/(const Dual& x, const Dual& y) {
    const double inverse = 1 / y.a;
    Dual r(x.a / y.a);
    for (int k = 0; k < N; ++k) r.d[k] = (x.d[k] - r.a * y.d[k]) * inverse;
    return r;
  }
};

template <int N>
Dual<N> sin(const Dual<N>& x) {
  return x.chain(std::sin(x.a), std::cos(x.a));
}
template <int N>
Dual<N> cos(const Dual<N>& x) {
  return x.chain(std::cos(x.a), -std::sin(x.a));
}
template <int N>
Dual<N> tan(const Dual<N>& x) {
  const double t = std::tan(x.a);
  return x.chain(t, 1 + t * t);
}
template <int N>
Dual<N> asin(const Dual<N>& x) {
  return x.chain(std::asin(x.a), 1 / std::sqrt((1 - x.a) * (1 + x.a)));
}
template <int N>
Dual<N> acos(const Dual<N>& x) {
  return x.chain(std::acos(x.a), -1 / std::sqrt((1 - x.a) * (1 + x.a)));
}
template <int N>
Dual<N> atan(const Dual<N>& x) {
  return x.chain(std::atan(x.a), 1 / (1 + x.a * x.a));
}
template <int N>
Dual<N> atan2(const Dual<N>& y, const Dual<N>& x) {
  const double r2 = x.a * x.a + y.a * y.a;
  Dual<N> r(std::atan2(y.a, x.a));
  for (int k = 0; k < N; ++k) r.d[k] = (x.a * y.d[k] - y.a * x.d[k]) / r2;
  return r;
}
template <int N>
Dual<N> sinh(const Dual<N>& x) {
  return x.chain(std::sinh(x.a), std::cosh(x.a));
}
template <int N>
Dual<N> cosh(const Dual<N>& x) {
  return x.chain(std::cosh(x.a), std::sinh(x.a));
}
template <int N>
Dual<N> tanh(const Dual<N>& x) {
  const double t = std::tanh(x.a);
  const double c = std::cosh(x.a);
  return x.chain(t, 1 / (c * c));
}
template <int N>
Dual<N> exp(const Dual<N>& x) {
  const double e = std::exp(x.a);
  return x.chain(e, e);
}
template <int N>
Dual<N> log(const Dual<N>& x) {
  return x.chain(std::log(x.a), 1 / x.a);
}
// The slope of sqrt at zero is taken as zero: every use here is |x| at x = 0, where zero is a
// subgradient and infinity would turn into NaN.
template <int N>
Dual<N> sqrt(const Dual<N>& x) {
  const double r = std::sqrt(x.a);
  return x.chain(r, r > 0 ? 0.5 / r : 0.0);
}
template <int N>
Dual<N> abs(const Dual<N>& x) {
  return x.chain(std::fabs(x.a), x.a > 0 ? 1 : (x.a < 0 ? -1 : 0));
}
template <int N>
Dual<N> pow(const Dual<N>& x, const Dual<N>& y) {
  const double p = std::pow(x.a, y.a);
  const double by_x = y.a == 0 ? 0 : y.a * std::pow(x.a, y.a - 1);
  const double by_y = x.a > 0 ? p * std::log(x.a) : 0;  // x^y with x <= 0: y must be a constant
  Dual<N> r(p);
  for (int k = 0; k < N; ++k) r.d[k] = by_x * x.d[k] + by_y * y.d[k];
  return r;
}
template <int N>
bool less(const Dual<N>& x, const Dual<N>& y) {
  return x.a < y.a;
}
template <int N>
Dual<N> select(bool c, const Dual<N>& x, const Dual<N>& y) {
  return c ? x : y;
}
template <int N>
double value_of(const Dual<N>& x) {
  return x.a;
}
template <int N>
void sincos(const Dual<N>& x, Dual<N>& s, Dual<N>& c) {
  double sa, ca;
  sincos(x.a, sa, ca);
  s = x.chain(sa, ca);
  c = x.chain(ca, -sa);
}

// ------------------------------------------------------------------------------------------ Pack

template <int N>
struct alignas(N * sizeof(double)) Pack {
  static_assert((N & (N - 1)) == 0, "a pack has a power of two of lanes");
  using Mask = std::array<bool, N>;
  double lane[N] = {};

  Pack() = default;
  Pack(double value) {
    for (double& x : lane) x = value;
  }
  double& operator[](int k) { return lane[k]; }
  double operator[](int k) const { return lane[k]; }

  template <class F>
  static Pack map(F&& f) {
    Pack r;
    for (int k = 0; k < N; ++k) r.lane[k] = f(k);
    return r;
  }
  // All lanes in one register (or a few): the compilers' vector type.
  typedef double Register __attribute__((vector_size(N * sizeof(double))));
  Register load() const {
    Register r;
    __builtin_memcpy(&r, lane, sizeof r);
    return r;
  }
  static Pack from(const Register& r) {
    Pack p;
    __builtin_memcpy(p.lane, &r, sizeof r);
    return p;
  }
  Pack& operator+=(const Pack& o) { return *this = *this + o; }
  Pack& operator-=(const Pack& o) { return *this = *this - o; }
  Pack& operator*=(const Pack& o) { return *this = *this * o; }
  Pack& operator/=(const Pack& o) { return *this = *this / o; }
  friend Pack operator+(const Pack& x, const Pack& y) { return from(x.load() + y.load()); }
  friend Pack operator-(const Pack& x, const Pack& y) { return from(x.load() - y.load()); }
  friend Pack operator*(const Pack& x, const Pack& y) { return from(x.load() * y.load()); }
  friend Pack operator/(const Pack& x, const Pack& y) { return from(x.load() / y.load()); }
  friend Pack operator-(const Pack& x) { return from(-x.load()); }
};

#define CARTAN_PACK_UNARY(name)                                        \
  template <int N>                                                     \
  Pack<N> name(const Pack<N>& x) {                                     \
    return Pack<N>::map([&](int k) { return core::name(x.lane[k]); }); \
  }
#define CARTAN_PACK_BINARY(name)                                                  \
  template <int N>                                                                \
  Pack<N> name(const Pack<N>& x, const Pack<N>& y) {                              \
    return Pack<N>::map([&](int k) { return core::name(x.lane[k], y.lane[k]); }); \
  }
CARTAN_PACK_UNARY(sin)
CARTAN_PACK_UNARY(cos)
CARTAN_PACK_UNARY(tan)
CARTAN_PACK_UNARY(asin)
CARTAN_PACK_UNARY(acos)
CARTAN_PACK_UNARY(atan)
CARTAN_PACK_UNARY(sinh)
CARTAN_PACK_UNARY(cosh)
CARTAN_PACK_UNARY(tanh)
CARTAN_PACK_UNARY(exp)
CARTAN_PACK_UNARY(log)
CARTAN_PACK_UNARY(sqrt)
CARTAN_PACK_UNARY(abs)
CARTAN_PACK_BINARY(atan2)
CARTAN_PACK_BINARY(pow)
#undef CARTAN_PACK_UNARY
#undef CARTAN_PACK_BINARY

template <int N>
typename Pack<N>::Mask less(const Pack<N>& x, const Pack<N>& y) {
  typename Pack<N>::Mask m;
  for (int k = 0; k < N; ++k) m[k] = x.lane[k] < y.lane[k];
  return m;
}
template <int N, std::size_t M>
Pack<N> select(const std::array<bool, M>& c, const Pack<N>& x, const Pack<N>& y) {
  static_assert(M == N);
  return Pack<N>::map([&](int k) { return c[k] ? x.lane[k] : y.lane[k]; });
}
template <int N>
double value_of(const Pack<N>& x) {
  return *std::max_element(x.lane, x.lane + N);
}
template <int N>
void sincos(const Pack<N>& x, Pack<N>& s, Pack<N>& c) {
  for (int k = 0; k < N; ++k) sincos(x.lane[k], s.lane[k], c.lane[k]);
}

// ------------------------------------------------------------------------- common to every scalar

template <class S>
S square(const S& x) {
  return x * x;
}

template <class S>
S min(const S& x, const S& y) {
  return select(less(y, x), y, x);
}
template <class S>
S max(const S& x, const S& y) {
  return select(less(x, y), y, x);
}

// -1, 0 or 1
template <class S>
S sign(const S& x) {
  return select(less(S(0), x), S(1), select(less(x, S(0)), S(-1), S(0)));
}

// 0 for x < 0, 1 from 0 on
template <class S>
S step(const S& x) {
  return select(less(x, S(0)), S(0), S(1));
}

// The closed list of scalars for which physics is instantiated.
using Dual4 = Dual<4>;
using Pack4 = Pack<4>;
#define CARTAN_FOR_EACH_SCALAR(apply) \
  apply(double) apply(::cartan::core::Dual4) apply(::cartan::core::Pack4)

}  // namespace cartan::core
