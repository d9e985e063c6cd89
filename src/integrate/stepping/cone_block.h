// The laws of a single contact, all others kept: the impulse P with w = A P + b,
//   0 <= P_n, 0 <= w_n, P_n w_n = 0;   |P_t| <= mu P_n, and P_t = -mu P_n w_t/|w_t| where w_t != 0
// P = 0 where b_n >= 0; P = -A^-1 b where that lies in the cone (it sticks); else it slips, with
// w_t = -alpha P_t. Then P_n is eliminated by w_n = 0,
//   P_t = -(S + alpha 1)^-1 s,   S = A_tt - c c^T/a,   s = b_t - c b_n/a
// and alpha > 0 is where |P_t| = mu P_n: a sum over the two axes of S, found by Newton's method
// from the alpha of the last time on.
#pragma once

#include <array>

#include "core/folders.h"

namespace cartan::integrate {

using Triple = std::array<double, 3>;

struct ConeBlock {
  double A[3][3] = {};
  double mu = 0;  // may be infinite: never slips

  // To be called once A and mu are there.
  void prepare();
  // `alpha`: of the last time, 0 at first.
  Triple answer(const Triple& b, double& alpha) const;
  // The least of P.A P/2 + b.P over the cone, from `start` on.
  Triple least(const Triple& b, const Triple& start) const;

 private:
  bool stick(const Triple& b, Triple& P) const;
  bool least_on_cone(const Triple& b, Triple& P) const;
  Triple slip(const Triple& b, double& alpha) const;

  bool sticks_ = false;  // A has an inverse
  double inverse_[3][3] = {};
  double axis_[2] = {1, 0};           // the first axis of S; the second stands across
  double stiff_[2] = {}, c_[2] = {};  // along the axes: S, and c
};

}  // namespace cartan::integrate
