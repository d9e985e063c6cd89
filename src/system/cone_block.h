// The laws of a single contact, all others kept: the impulse P with w = A P + b,
//   0 <= P_n, 0 <= w_n, P_n w_n = 0;   |P_t| <= mu (P_n + given), against w_t where it slips
// A load `given` presses beside P_n (Poisson's second phase; zero elsewhere). Without it P = 0
// where b_n >= 0. Where w_n = 0, P_n is eliminated; else P_n = 0. Either way, with w_t = -alpha
// P_t,
//   P_t = -(S + alpha 1)^-1 s;   S = A_tt - c c^T/a, s = b_t - c b_n/a   or   S = A_tt, s = b_t
// It sticks where |P_t| is within the cone at alpha = 0; else alpha > 0 is where it is on the cone:
// a sum over the two axes of S, found by Newton's method from the alpha of the last time on.
#pragma once

#include <array>

#include "core/folders.h"

namespace cartan::system {

using Triple = std::array<double, 3>;

struct ConeBlock {
  double A[3][3] = {};
  double mu = 0;  // may be infinite: never slips

  // To be called once A and mu are there.
  void prepare();
  // `alpha`: of the last time, 0 at first.
  Triple answer(const Triple& b, double& alpha, double given = 0) const;
  // The least of P.A P/2 + b.P over the cone, from `start` on.
  Triple least(const Triple& b, const Triple& start) const;

 private:
  // The tangents in the axes of S: its two numbers, and c / a (open: zero). What is less stiff than
  // rounding does not move.
  struct Axes {
    double x = 1, y = 0;  // the first; the second stands across
    double stiff[2] = {}, c[2] = {};
    void turn(double xx, double xy, double yy, double least);
  };
  // What is left to be found in these axes: s, and P_n without tangents.
  struct Rest {
    const Axes* axes;
    double s[2], normal, given;
  };
  Rest rest(const Axes& axes, const Triple& b, double given) const;
  bool stick(const Rest& rest, Triple& P) const;
  bool slip(const Rest& rest, double& alpha, Triple& P) const;
  bool least_on_cone(const Triple& b, Triple& P) const;

  Axes closed_, open_;
};

}  // namespace cartan::system
