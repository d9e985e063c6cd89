// A function of one variable through given points: the tables of model files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/folders.h"

namespace cartan::expr {

// Between the points.
enum class Interpolation {
  linear,  // straight lines
  pchip,   // cubics with slopes that keep rises rises: no overshoot, once differentiable
  spline,  // cubic spline, not-a-knot: twice differentiable, exact for cubics, may overshoot
  steps,   // each value holds until the next point
};
// Before the first point and after the last.
enum class Outside {
  error,        // no value: not a number
  hold,         // the values of the ends
  periodic,     // the table repeats; its last point is its first again
  extrapolate,  // the end pieces continue
};

inline constexpr std::string_view interpolation_names[] = {"linear", "pchip", "spline", "steps"};
inline constexpr std::string_view outside_names[] = {"error", "hold", "periodic", "extrapolate"};
std::optional<Interpolation> interpolation_named(std::string_view name);
std::optional<Outside> outside_named(std::string_view name);

// How a table is read; what is not said depends on where it is used.
struct TableRule {
  std::optional<Interpolation> interpolation;
  std::optional<Outside> outside;
};

class TableFunction {
 public:
  // x strictly increasing, at least two. `name`: whom messages are about.
  TableFunction(const std::vector<double>& x, const std::vector<double>& y,
                Interpolation interpolation, Outside outside, std::string name = "the table");

  // Derivative `order` (0: the value), right-continuous; zero beyond the third. O(log n).
  double derivative(int order, double x) const;
  double value(double x) const { return derivative(0, x); }
  double slope(double x) const { return derivative(1, x); }
  double curvature(double x) const { return derivative(2, x); }
  double jerk(double x) const { return derivative(3, x); }

  // c[0] + c[1] s + c[2] s^2 + c[3] s^3 with s = x - x0, from x0 on; the first also before.
  struct Piece {
    double x0, c[4];
  };
  const std::vector<Piece>& pieces() const { return pieces_; }
  Interpolation interpolation() const { return interpolation_; }
  Outside outside() const { return outside_; }
  const std::string& name() const { return name_; }
  double first() const { return pieces_.front().x0; }
  double last() const { return last_; }
  double period() const { return last_ - first(); }
  // Whether x lies in the range, up to rounding.
  bool covers(double x) const {
    const double margin = 1e-9 * period();
    return x >= first() - margin && x <= last_ + margin;
  }

  // A point where the function or one of its derivatives jumps.
  struct Corner {
    double x;
    int order;  // the lowest derivative that jumps: 0 the value, 1 the slope, ...
  };
  // Those at which a derivative up to `highest` jumps, ascending; of a periodic table those of one
  // period, from first() on without last(). Ends that cannot be passed are none.
  std::vector<Corner> corners(int highest) const;

  // Why there is no value at x: a sentence; leaves it as a note where there is none.
  std::string explain_outside(double x) const;
  void note_outside(double x) const;

 private:
  const Piece& piece_at(double x) const;

  std::vector<Piece> pieces_;
  double last_;
  Interpolation interpolation_;
  Outside outside_;
  std::string name_;
};

// The slopes at the points, of a table that repeats or of one that does not. h: spacings, d: secant
// slopes.
std::vector<double> slopes_of_spline(const std::vector<double>& h, const std::vector<double>& d,
                                     bool periodic);
std::vector<double> slopes_of_pchip(const std::vector<double>& h, const std::vector<double>& d,
                                    bool periodic);

}  // namespace cartan::expr
