// The functions of the expression language over Jets, so that a prescribed motion p(t) gives p' and
// p'' when t is a Jet:  f(x)'' = f'(x) x'' + f''(x) x'^2.
#pragma once

#include <cmath>

#include "expr/evaluate_impl.h"
#include "support/jet.h"

namespace cartan::test {

inline Jet chain(const Jet& x, double f, double slope, double curvature) {
  return {f, slope * x.d, slope * x.dd + curvature * x.d * x.d};
}

inline Jet exp(const Jet& x) {
  const double e = std::exp(x.a);
  return chain(x, e, e, e);
}
inline Jet log(const Jet& x) {
  return chain(x, std::log(x.a), 1 / x.a, -1 / (x.a * x.a));
}
inline Jet sqrt(const Jet& x) {
  const double r = std::sqrt(x.a);
  return chain(x, r, 0.5 / r, -0.25 / (r * x.a));
}
inline Jet sinh(const Jet& x) {
  return chain(x, std::sinh(x.a), std::cosh(x.a), std::sinh(x.a));
}
inline Jet cosh(const Jet& x) {
  return chain(x, std::cosh(x.a), std::sinh(x.a), std::cosh(x.a));
}
inline Jet tan(const Jet& x) {
  return sin(x) / cos(x);
}
inline Jet tanh(const Jet& x) {
  return sinh(x) / cosh(x);
}
inline Jet atan(const Jet& x) {
  const double s = 1 / (1 + x.a * x.a);
  return chain(x, std::atan(x.a), s, -2 * x.a * s * s);
}
inline Jet asin(const Jet& x) {
  const double s = 1 / std::sqrt(1 - x.a * x.a);
  return chain(x, std::asin(x.a), s, x.a * s * s * s);
}
inline Jet acos(const Jet& x) {
  return Jet(std::acos(-1.0) / 2) - asin(x);
}
// Turned so that the quotient is finite; the constant between the branches has no derivative.
inline Jet atan2(const Jet& y, const Jet& x) {
  Jet r = std::fabs(x.a) > std::fabs(y.a) ? atan(y / x) : -atan(x / y);
  r.a = std::atan2(y.a, x.a);
  return r;
}
inline Jet pow(const Jet& x, const Jet& y) {
  if (y.d != 0 || y.dd != 0) return exp(y * log(x));
  const double n = y.a;
  return chain(x, std::pow(x.a, n), n == 0 ? 0 : n * std::pow(x.a, n - 1),
               n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(x.a, n - 2));
}
inline bool less(const Jet& x, const Jet& y) {
  return x.a < y.a;
}
inline Jet select(bool c, const Jet& x, const Jet& y) {
  return c ? x : y;
}
inline Jet abs(const Jet& x) {
  return x.a < 0 ? -x : x;
}
inline Jet table_value(const std::shared_ptr<const TableFunction>& spline, int order,
                       const Jet& x) {
  return chain(x, spline->derivative(order, x.a), spline->derivative(order + 1, x.a),
               spline->derivative(order + 2, x.a));
}

inline Jet call_value(const FunctionCode& function, int order, const Jet* x) {
  double at[most_arguments];
  const int count = function.arguments();
  for (int k = 0; k < count; ++k) at[k] = x[k].a;
  Jet result(function.value(order, at));
  for (int k = 0; k < count; ++k) {
    if (x[k].d == 0 && x[k].dd == 0) continue;
    const int slope = function.order(order).slope[k];
    result.d += function.value(slope, at) * x[k].d;
    result.dd += function.value(slope, at) * x[k].dd;
    for (int j = 0; j < count; ++j)
      if (x[k].d != 0 && x[j].d != 0)
        result.dd += function.value(function.order(slope).slope[j], at) * x[k].d * x[j].d;
  }
  return result;
}

}  // namespace cartan::test
