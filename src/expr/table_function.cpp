#include "expr/table_function.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "core/failure_note.h"

namespace cartan::expr {
namespace {

using Numbers = std::vector<double>;
using Piece = TableFunction::Piece;

double value_of(const Piece& piece, int order, double x) {
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

template <class Kind>
std::optional<Kind> named(std::string_view name, std::span<const std::string_view> names) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Kind>(at - names.begin());
}

// The cubic with values y0, y0 + h d and slopes m0, m1 at its ends.
Piece cubic(double x0, double y0, double h, double d, double m0, double m1) {
  const double excess = m0 + m1 - 2 * d;
  return {x0, {y0, m0, (d - m0 - excess) / h, excess / (h * h)}};
}

std::vector<Piece> constant_pieces(const Numbers& x, const Numbers& y, bool periodic) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + periodic < x.size(); ++i) pieces.push_back({x[i], {y[i], 0, 0, 0}});
  return pieces;
}

std::vector<Piece> pieces_of(const Numbers& x, const Numbers& y, Interpolation kind,
                             bool periodic) {
  assert(x.size() >= 2 && x.size() == y.size());
  if (kind == Interpolation::steps) return constant_pieces(x, y, periodic);
  const std::size_t count = x.size() - 1;
  Numbers h(count), d(count);
  for (std::size_t i = 0; i < count; ++i) {
    h[i] = x[i + 1] - x[i];
    assert(h[i] > 0);
    d[i] = (y[i + 1] - y[i]) / h[i];
  }
  std::vector<Piece> pieces;
  pieces.reserve(count);
  if (kind == Interpolation::linear) {
    for (std::size_t i = 0; i < count; ++i) pieces.push_back({x[i], {y[i], d[i], 0, 0}});
    return pieces;
  }
  const Numbers m = kind == Interpolation::spline ? slopes_of_spline(h, d, periodic)
                                                  : slopes_of_pchip(h, d, periodic);
  for (std::size_t i = 0; i < count; ++i)
    pieces.push_back(cubic(x[i], y[i], h[i], d[i], m[i], m[i + 1]));
  return pieces;
}

}  // namespace

std::optional<Interpolation> interpolation_named(std::string_view name) {
  return named<Interpolation>(name, interpolation_names);
}
std::optional<Outside> outside_named(std::string_view name) {
  return named<Outside>(name, outside_names);
}

TableFunction::TableFunction(const Numbers& x, const Numbers& y, Interpolation interpolation,
                             Outside outside, std::string name)
    : pieces_(pieces_of(x, y, interpolation, outside == Outside::periodic)),
      last_(x.back()),
      interpolation_(interpolation),
      outside_(outside),
      name_(std::move(name)) {}

const TableFunction::Piece& TableFunction::piece_at(double x) const {
  const auto after = std::upper_bound(pieces_.begin() + 1, pieces_.end(), x,
                                      [](double at, const Piece& piece) { return at < piece.x0; });
  return *(after - 1);
}

double TableFunction::derivative(int order, double x) const {
  if (outside_ == Outside::periodic) {
    x -= period() * std::floor((x - first()) / period());
  } else if (x < first() || x > last_) {
    if (outside_ == Outside::error && !covers(x)) return std::numeric_limits<double>::quiet_NaN();
    if (outside_ == Outside::hold) {
      if (order > 0) return 0;
      x = x < first() ? first() : last_;
    }
  }
  return value_of(piece_at(x), order, x);
}

void TableFunction::note_outside(double x) const {
  if (outside_ == Outside::error && std::isfinite(x) && !covers(x) && !has_failure_note())
    note_failure(explain_outside(x));
}

std::string TableFunction::explain_outside(double x) const {
  return fmt::format(
      "{} is asked for its value at {:.12g}, outside of its range from {:.9g} to {:.9g}; add rows, "
      "or "
      "say as its fifth argument what holds there: 'hold', 'periodic' or 'extrapolate'",
      name_, x, first(), last_);
}

// ---------------------------------------------------------------------------------------- corners

namespace {

// Sizes of a function's derivatives over the whole table: a jump counts where it is more than
// rounding of these.
std::array<double, 4> largest_derivatives(const std::vector<Piece>& pieces, double last) {
  std::array<double, 4> largest{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const double end = i + 1 < pieces.size() ? pieces[i + 1].x0 : last;
    for (int order = 0; order < 4; ++order)
      largest[order] = std::max({largest[order], std::fabs(value_of(pieces[i], order, end)),
                                 std::fabs(value_of(pieces[i], order, pieces[i].x0))});
  }
  return largest;
}

}  // namespace

std::vector<TableFunction::Corner> TableFunction::corners(int highest) const {
  const std::array<double, 4> size = largest_derivatives(pieces_, last_);
  const Piece held_before{first(), {value_of(pieces_.front(), 0, first()), 0, 0, 0}};
  const Piece held_after{last_, {value_of(pieces_.back(), 0, last_), 0, 0, 0}};
  std::vector<Corner> found;
  // The pieces `left`, at its own x, and `right`, which meet at x.
  const auto compare = [&](const Piece& left, double left_x, const Piece& right, double x) {
    for (int order = 0; order <= std::min(highest, 3); ++order) {
      const double jump = value_of(right, order, x) - value_of(left, order, left_x);
      if (std::fabs(jump) <= 1e-9 * size[order]) continue;
      found.push_back({x, order});
      return;
    }
  };
  if (outside_ == Outside::periodic) compare(pieces_.back(), last_, pieces_.front(), first());
  if (outside_ == Outside::hold) compare(held_before, first(), pieces_.front(), first());
  for (std::size_t i = 1; i < pieces_.size(); ++i)
    compare(pieces_[i - 1], pieces_[i].x0, pieces_[i], pieces_[i].x0);
  if (outside_ == Outside::hold) compare(pieces_.back(), last_, held_after, last_);
  return found;
}

}  // namespace cartan::expr
