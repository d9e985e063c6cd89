// Slopes m at the points of a table, from spacings h and secant slopes d.
//
// Spline. Continuity of the second derivative at an inner point i is
//   h[i] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i-1] m[i+1] = 3 (h[i] d[i-1] + h[i-1] d[i]).
// Not-a-knot asks for a continuous third derivative at the second and the last but one point; with
// the equation of that point it becomes a row with two unknowns, so the system stays tridiagonal:
//   h[1] m[0] + (h[0] + h[1]) m[1] = ((3 h[0] + 2 h[1]) h[1] d[0] + h[0]^2 d[1]) / (h[0] + h[1])
// and the mirror image at the other end. Elimination without pivoting is safe: every pivot stays
// positive. A table that repeats has the first equation at all its points, the neighbours of the
// first being the second and the last but one: a cyclic system, solved as a tridiagonal one that is
// changed by a matrix of rank one.
//
// pchip (Fritsch and Butland). Where the secants on both sides have one sign, m is their weighted
// harmonic mean, which keeps each piece monotonic; else it is zero. At the ends the slope of the
// parabola through three points, cut back to what keeps the end piece monotonic.
#include <cmath>
#include <cstddef>

#include "expr/table_function.h"

namespace cartan::expr {
namespace {

using Numbers = std::vector<double>;

struct EndRow {
  double end, next, right;
};  // end * m[end] + next * m[neighbour] = right

// h0, d0: spacing and secant slope at the end; h1, d1: of the interval beside it.
EndRow not_a_knot(double h0, double h1, double d0, double d1) {
  const double both = h0 + h1;
  return {h1, both, ((3 * h0 + 2 * h1) * h1 * d0 + h0 * h0 * d1) / both};
}

// lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = x[i] on entry; x on return.
void solve_tridiagonal(const Numbers& lower, const Numbers& diagonal, Numbers upper, Numbers& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = i == 0 ? diagonal[0] : diagonal[i] - lower[i] * upper[i - 1];
    upper[i] /= pivot;
    x[i] = (i == 0 ? x[0] : x[i] - lower[i] * x[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 0;) x[i] -= upper[i] * x[i + 1];
}

Numbers open_spline(const Numbers& h, const Numbers& d) {
  const std::size_t n = h.size() + 1;
  if (n == 2) return {d[0], d[0]};
  if (n == 3) {  // the parabola through three points
    const double middle = (h[1] * d[0] + h[0] * d[1]) / (h[0] + h[1]);
    return {2 * d[0] - middle, middle, 2 * d[1] - middle};
  }
  Numbers lower(n), diagonal(n), upper(n), m(n);
  const EndRow first = not_a_knot(h[0], h[1], d[0], d[1]);
  diagonal[0] = first.end, upper[0] = first.next, m[0] = first.right;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    lower[i] = h[i], diagonal[i] = 2 * (h[i - 1] + h[i]), upper[i] = h[i - 1];
    m[i] = 3 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
  }
  const EndRow last = not_a_knot(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  diagonal[n - 1] = last.end, lower[n - 1] = last.next, m[n - 1] = last.right;
  solve_tridiagonal(lower, diagonal, std::move(upper), m);
  return m;
}

// With corners c0 = A(0, n-1) and c1 = A(n-1, 0): A = B + u v^T for u = (g, 0 .. 0, c1),
// v = (1, 0 .. 0, c0 / g), any g; then x = y - z (v.y) / (1 + v.z) with B y = r, B z = u.
Numbers periodic_spline(const Numbers& h, const Numbers& d) {
  const std::size_t n = h.size();  // unknowns: the last point is the first
  if (n == 1) return {0, 0};
  Numbers lower(n), diagonal(n), upper(n), m(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = i == 0 ? n - 1 : i - 1;
    lower[i] = h[i], diagonal[i] = 2 * (h[before] + h[i]), upper[i] = h[before];
    m[i] = 3 * (h[i] * d[before] + h[before] * d[i]);
  }
  if (n == 2) {  // each point has the other as both its neighbours
    const double a = lower[0] + upper[0], b = lower[1] + upper[1];
    const double determinant = diagonal[0] * diagonal[1] - a * b;
    const double m0 = (m[0] * diagonal[1] - a * m[1]) / determinant;
    const double m1 = (m[1] * diagonal[0] - b * m[0]) / determinant;
    return {m0, m1, m0};
  }
  const double c0 = lower[0], c1 = upper[n - 1], g = -diagonal[0];
  diagonal[0] -= g;
  diagonal[n - 1] -= c0 * c1 / g;
  Numbers z(n);
  z[0] = g, z[n - 1] = c1;
  solve_tridiagonal(lower, diagonal, upper, m);
  solve_tridiagonal(lower, diagonal, upper, z);
  const double factor = (m[0] + c0 / g * m[n - 1]) / (1 + z[0] + c0 / g * z[n - 1]);
  for (std::size_t i = 0; i < n; ++i) m[i] -= factor * z[i];
  m.push_back(m[0]);
  return m;
}

double harmonic_mean(double h0, double h1, double d0, double d1) {
  if (d0 * d1 <= 0) return 0;
  const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

double end_slope(double h0, double h1, double d0, double d1) {
  const double m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (m * d0 <= 0) return 0;
  if (d0 * d1 <= 0 && std::fabs(m) > 3 * std::fabs(d0)) return 3 * d0;
  return m;
}

}  // namespace

std::vector<double> slopes_of_spline(const Numbers& h, const Numbers& d, bool periodic) {
  return periodic ? periodic_spline(h, d) : open_spline(h, d);
}

std::vector<double> slopes_of_pchip(const Numbers& h, const Numbers& d, bool periodic) {
  const std::size_t pieces = h.size();
  if (pieces == 1) return {d[0], d[0]};
  Numbers m(pieces + 1);
  for (std::size_t i = 1; i < pieces; ++i) m[i] = harmonic_mean(h[i - 1], h[i], d[i - 1], d[i]);
  if (periodic) {
    m[0] = m[pieces] = harmonic_mean(h[pieces - 1], h[0], d[pieces - 1], d[0]);
  } else {
    m[0] = end_slope(h[0], h[1], d[0], d[1]);
    m[pieces] = end_slope(h[pieces - 1], h[pieces - 2], d[pieces - 1], d[pieces - 2]);
  }
  return m;
}

}  // namespace cartan::expr
