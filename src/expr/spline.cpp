// The unknowns are the slopes m at the points. With spacings h and secant slopes d, continuity of
// the second derivative at an inner point i is
//   h[i] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i-1] m[i+1] = 3 (h[i] d[i-1] + h[i-1] d[i]).
// Not-a-knot asks for a continuous third derivative at the second and the last but one point; with
// the equation of that point it becomes a row with two unknowns, so the system stays tridiagonal:
//   h[1] m[0] + (h[0] + h[1]) m[1] = ((3 h[0] + 2 h[1]) h[1] d[0] + h[0]^2 d[1]) / (h[0] + h[1])
// and the mirror image at the other end. Elimination without pivoting is safe: every pivot stays
// positive.
#include "expr/spline.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace cartan {
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

Numbers slopes_of_spline(const Numbers& h, const Numbers& d) {
  const std::size_t n = h.size() + 1;
  Numbers m(n), upper(n);
  const EndRow first = not_a_knot(h[0], h[1], d[0], d[1]);
  upper[0] = first.next / first.end;
  m[0] = first.right / first.end;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double pivot = 2 * (h[i - 1] + h[i]) - h[i] * upper[i - 1];
    upper[i] = h[i - 1] / pivot;
    m[i] = (3 * (h[i] * d[i - 1] + h[i - 1] * d[i]) - h[i] * m[i - 1]) / pivot;
  }
  const EndRow last = not_a_knot(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  m[n - 1] = (last.right - last.next * m[n - 2]) / (last.end - last.next * upper[n - 2]);
  for (std::size_t i = n - 1; i-- > 0;) m[i] -= upper[i] * m[i + 1];
  return m;
}

Numbers slopes_at_points(const Numbers& h, const Numbers& d) {
  if (h.size() == 1) return {d[0], d[0]};
  if (h.size() == 2) {  // the parabola through three points
    const double middle = (h[1] * d[0] + h[0] * d[1]) / (h[0] + h[1]);
    return {2 * d[0] - middle, middle, 2 * d[1] - middle};
  }
  return slopes_of_spline(h, d);
}

}  // namespace

Spline::Spline(std::vector<double> x, std::vector<double> y) {
  assert(x.size() >= 2 && x.size() == y.size());
  const std::size_t pieces = x.size() - 1;
  Numbers h(pieces), d(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    h[i] = x[i + 1] - x[i];
    assert(h[i] > 0);
    d[i] = (y[i + 1] - y[i]) / h[i];
  }
  const Numbers m = slopes_at_points(h, d);
  pieces_.reserve(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    const double excess = m[i] + m[i + 1] - 2 * d[i];
    pieces_.push_back({x[i], {y[i], m[i], (d[i] - m[i] - excess) / h[i], excess / (h[i] * h[i])}});
  }
}

const Spline::Piece& Spline::piece_at(double x) const {
  const auto after = std::upper_bound(pieces_.begin() + 1, pieces_.end(), x,
                                      [](double at, const Piece& piece) { return at < piece.x0; });
  return *(after - 1);
}

double Spline::derivative(int order, double x) const {
  const Piece& piece = piece_at(x);
  const double s = x - piece.x0;
  const double* c = piece.c;
  switch (order) {
    case 0:
      return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    case 1:
      return c[1] + s * (2 * c[2] + s * 3 * c[3]);
    case 2:
      return 2 * c[2] + s * 6 * c[3];
    case 3:
      return 6 * c[3];
    default:
      return 0;
  }
}

}  // namespace cartan
