// One step's contacts together: impulses P in Coulomb's cones and speeds u = J v that belong to
// them.
//
//   v = v_free + sum W_c P_c,   w_c = J_c v + shift_c
//   0 <= P_n, 0 <= w_n, P_n w_n = 0;   |P_t| <= mu P_n, and P_t = -mu P_n w_t/|w_t| where w_t != 0
//
// In De Saxce's form: with s_c = mu |w_t| held, it is the least of P.A P/2 + P.(b + s) over the
// cones, a convex problem, and s follows from its solution.
//
// Block Gauss-Seidel: contact after contact gets the impulse that solves its own three equations
// exactly, on the true cone, with the speeds that all others leave. A round is a sweep forth and
// one back; rounds are accelerated by Nesterov's extrapolation, which begins anew where it leads
// the wrong way. At first every block follows its s itself; where rounds do not come nearer so (a
// wedge may go round in a circle), s is held, the convex problem is solved, and s is taken anew.
// A sweep costs the numbers of J and W. It begins with the impulses that are there (warm start).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "system/contact_stepping.h"

namespace cartan::integrate {

using Triple = std::array<double, 3>;

struct ConeReport {
  int sweeps = 0;
  bool settled = false;  // impulses change by less than the tolerance
  double residual = 0;   // largest violation of the laws, as a speed
  double largest = 0;    // of the speeds that impulses make, for comparison
};

// What a sweep may leave: as a part of the largest speed that an impulse makes, and as a speed.
struct ConeTolerance {
  double relative = 0, absolute = 0;
  int most_sweeps = 0;
};

class ConeProblem {
 public:
  enum class Laws { friction, smooth };  // smooth: as if there were no friction
  // Blocks A_c = J_c W_c; impulses and shifts are zero.
  void begin(const ContactSet& set, Laws laws = Laws::friction);
  Triple speed(int c, std::span<const double> v) const;
  // v += W_c change
  void push(int c, const Triple& change, std::span<double> v) const;
  // v: speeds with the impulses that are there; both are improved.
  ConeReport solve(std::span<double> v, const ConeTolerance& tolerance);

  std::vector<Triple> impulse, shift;

 private:
  struct Block {
    double A[3][3] = {};
    bool plain = false;  // normal and tangents do not act on each other, tangents are alike
    bool moves = false;  // an impulse changes its speeds
    double held = 0;     // mu |w_t| where it is held
  };
  double coefficient(std::size_t c) const {
    const SteppedContact& contact = set_->contacts[c];
    return laws_ == Laws::smooth || contact.rows == 1 ? 0 : contact.friction;
  }
  Triple row_speeds(const SteppedContact& contact, const double* v) const;
  void add_impulse(const SteppedContact& contact, const Triple& change, double* v) const;
  double normal_speed(std::size_t c, std::span<const double> v) const;
  // What the law of contact c sees: shift and all impulses but its own.
  Triple others(std::size_t c, std::span<const double> v) const;
  Triple answer(std::size_t c, const Triple& b) const;
  double sweep(std::span<double> v, bool back, double& largest);
  double round(std::span<double> v, double& largest);
  void extrapolate(std::span<double> v);
  void begin_rounds(std::span<const double> v);
  double hold(std::span<const double> v);
  void measure(std::span<const double> v, ConeReport& report);

  const ContactSet* set_ = nullptr;
  Laws laws_ = Laws::friction;
  std::vector<Block> blocks_;
  bool held_ = false;
  // of the rounds: impulses and speeds after the last one, impulses before this one
  std::vector<Triple> last_, start_;
  std::vector<double> last_v_;
  double momentum_ = 1;
};

// P that solves w = A P + b by itself; mu may be infinite.
Triple solve_cone_block(const double (&A)[3][3], const Triple& b, double mu);
// The least of P.A P/2 + b.P over the cone, from `start` on.
Triple solve_convex_block(const double (&A)[3][3], const Triple& b, double mu, Triple start);

}  // namespace cartan::integrate
