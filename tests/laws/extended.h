// Reference values in extended precision (113-bit mantissa), written as plainly as possible and
// independently of src/lie/: power series summed until the terms vanish, matrix exponentials by
// their Taylor series. Only + - * / of the compiler's 128-bit type are used, no library.
#pragma once

#include <array>
#include <cmath>
#include <utility>

namespace cartan::test::extended {

#if defined(__SIZEOF_FLOAT128__)
using Real = __float128;
#else
using Real = long double;
static_assert(sizeof(long double) == 16, "the reference needs a 128-bit float");
#endif

inline double to_double(Real x) {
  return static_cast<double>(x);
}
inline Real abs(Real x) {
  return x < 0 ? -x : x;
}
inline Real sqrt(Real x) {
  if (x == 0) return 0;
  Real r = std::sqrt(static_cast<double>(x));
  for (int i = 0; i < 3; ++i) r = (r + x / r) / 2;  // Newton: 53, 106, 113 bits
  return r;
}

// sum_j weight(j) (-x)^j / (2j + k)!
template <class Weight>
Real factorial_series(Real x, int k, Weight weight) {
  Real term = 1;
  for (int i = 2; i <= k; ++i) term /= i;
  Real sum = term * weight(0);
  for (int j = 1; j < 60 && term != 0 && abs(term) > 1e-40; ++j) {
    term *= -x / (Real(2 * j + k) * Real(2 * j + k - 1));
    sum += term * weight(j);
  }
  return sum;
}
// cos t, sin t/t, (1 - cos t)/t^2, (t - sin t)/t^3 for k = 0, 1, 2, 3; x = t^2
inline Real tail(Real x, int k) {
  return factorial_series(x, k, [](int) { return Real(1); });
}
// its first and second derivative by x, term by term, with j shifted to start at zero
inline Real tail_slope(Real x, int k) {
  return -factorial_series(x, k + 2, [](int j) { return Real(j + 1); });
}
inline Real tail_curvature(Real x, int k) {
  return factorial_series(x, k + 4, [](int j) { return Real(j + 1) * Real(j + 2); });
}

// (1 - (t/2) cot(t/2))/t^2 = N / (2 E) with N = (2 E - sin t/t)/x, E = (1 - cos t)/t^2
struct Cotangent {
  Real value, slope, curvature;
  explicit Cotangent(Real x) {
    // N = sum (-x)^j (2j + 2)/(2j + 4)! and its derivatives by x
    const Real n = factorial_series(x, 4, [](int j) { return Real(2 * j + 2); });
    const Real n1 = -factorial_series(x, 6, [](int j) { return Real(j + 1) * Real(2 * j + 4); });
    const Real n2 =
        factorial_series(x, 8, [](int j) { return Real(j + 1) * Real(j + 2) * Real(2 * j + 6); });
    const Real e = 2 * tail(x, 2), e1 = 2 * tail_slope(x, 2), e2 = 2 * tail_curvature(x, 2);
    value = n / e;
    slope = (n1 - value * e1) / e;
    curvature = (n2 - 2 * slope * e1 - value * e2) / e;
  }
};

// ------------------------------------------------------------------------------- small matrices

template <int n>
using Matrix = std::array<std::array<Real, n>, n>;

template <int n>
Matrix<n> unit() {
  Matrix<n> m{};
  for (int i = 0; i < n; ++i) m[i][i] = 1;
  return m;
}
template <int n>
Matrix<n> times(const Matrix<n>& a, const Matrix<n>& b) {
  Matrix<n> c{};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}
// sum_k a^k / (k + first)! up to terms below 1e-38: exp for first = 0, dexp (with a = ad) for first
// = 1
template <int n>
Matrix<n> exp_series(const Matrix<n>& a, int first) {
  Matrix<n> term = unit<n>(), sum = term;
  Real largest = 1;
  for (int k = 1; k < 80 && largest > 1e-38; ++k) {
    term = times<n>(term, a);
    largest = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        sum[i][j] += term[i][j] /= k + first;
        if (largest < abs(term[i][j])) largest = abs(term[i][j]);
      }
  }
  return sum;
}
// Gauss-Jordan with pivoting
template <int n>
Matrix<n> inverse(Matrix<n> a) {
  Matrix<n> b = unit<n>();
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (abs(a[r][c]) > abs(a[pivot][c])) pivot = r;
    std::swap(a[c], a[pivot]), std::swap(b[c], b[pivot]);
    const Real scale = 1 / a[c][c];
    for (int j = 0; j < n; ++j) a[c][j] *= scale, b[c][j] *= scale;
    for (int r = 0; r < n; ++r) {
      if (r == c) continue;
      const Real f = a[r][c];
      for (int j = 0; j < n; ++j) a[r][j] -= f * a[c][j], b[r][j] -= f * b[c][j];
    }
  }
  return b;
}
inline Matrix<3> hat(const std::array<Real, 3>& w) {
  return {{{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}}};
}
// [hat(w) v; 0 0], the 4x4 matrix of a twist
inline Matrix<4> twist_matrix(const std::array<Real, 6>& u) {
  return {{{0, -u[2], u[1], u[3]}, {u[2], 0, -u[0], u[4]}, {-u[1], u[0], 0, u[5]}, {0, 0, 0, 0}}};
}
// [hat(w) 0; hat(v) hat(w)], the 6x6 matrix of ad
inline Matrix<6> ad_matrix(const std::array<Real, 6>& u) {
  const Matrix<3> w = hat({u[0], u[1], u[2]}), v = hat({u[3], u[4], u[5]});
  Matrix<6> m{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m[i][j] = m[i + 3][j + 3] = w[i][j], m[i + 3][j] = v[i][j];
  return m;
}

}  // namespace cartan::test::extended
