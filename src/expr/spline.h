// A smooth function of one variable through given points (tables of model files).
#pragma once

#include <vector>

namespace cartan {

// Not-a-knot cubic spline: twice continuously differentiable, exact for cubic polynomials. Two
// points give a line, three a parabola. Outside its range the end pieces continue, so that the
// function stays smooth there too; whoever reads a table warns about arguments outside if that is
// not wanted.
class Spline {
 public:
  Spline(std::vector<double> x, std::vector<double> y);  // x strictly increasing, at least two

  // Each takes O(log n) for n points.
  double value(double x) const { return derivative(0, x); }
  double slope(double x) const { return derivative(1, x); }
  double curvature(double x) const { return derivative(2, x); }
  double jerk(double x) const {
    return derivative(3, x);
  }  // constant on each piece, right-continuous
  double derivative(int order, double x) const;

  // c[0] + c[1] s + c[2] s^2 + c[3] s^3 with s = x - x0, from x0 on; the first also before.
  struct Piece {
    double x0, c[4];
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  const Piece& piece_at(double x) const;

  std::vector<Piece> pieces_;
};

}  // namespace cartan
