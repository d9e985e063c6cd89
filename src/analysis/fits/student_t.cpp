// Quantiles of Student's t distribution, through the regularised incomplete beta function.
#include <cmath>

#include "analysis/fits/confidence.h"

namespace cartan::analysis {
namespace {

// I_x(a, b) by its continued fraction (converges quickly for x < (a + 1) / (a + b + 2)).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::fabs(d) < tiny ? tiny : d);
  double h = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (double factor : {even, odd}) {
      d = 1 + factor * d;
      d = 1 / (std::fabs(d) < tiny ? tiny : d);
      c = 1 + factor / c;
      c = std::fabs(c) < tiny ? tiny : c;
      h *= c * d;
    }
    if (std::fabs(c * d - 1) < 1e-15) break;
  }
  return h;
}

double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) -
                                std::lgamma(a) - std::lgamma(b));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

}  // namespace

// P(|T| <= t) = 1 - I_{nu / (nu + t^2)}(nu/2, 1/2), increasing in t: bisection.
double student_quantile(double probability, double degrees) {
  double low = 0, high = 1;
  const auto inside = [&](double t) {
    return 1 - incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
  };
  while (inside(high) < probability && high < 1e8) high *= 2;
  for (int k = 0; k < 100; ++k) {
    const double middle = (low + high) / 2;
    (inside(middle) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace cartan::analysis
