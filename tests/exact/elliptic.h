// Jacobi elliptic functions in extended precision, by the arithmetic-geometric mean.
#pragma once

#include <cmath>

namespace cartan::exact {

struct Jacobi {
  long double sn, cn, dn;
};

// Modulus k in [0, 1).
inline Jacobi jacobi(long double u, long double k) {
  constexpr int most = 16;
  long double a[most], c[most];
  a[0] = 1, c[0] = k;
  long double b = std::sqrt((1 - k) * (1 + k));
  int n = 0;
  while (n + 1 < most && c[n] > 1e-20L) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  long double phi = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  const long double sn = std::sin(phi), cn = std::cos(phi);
  return {sn, cn, std::sqrt(1 - k * k * sn * sn)};
}

}  // namespace cartan::exact
