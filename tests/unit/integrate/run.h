// What the tests of the methods share: one run, and two equations.
#pragma once

#include <string>

#include "integrate/simulate.h"
#include "order/problems.h"

namespace cartan::test {

inline SimulateReport run(const System& system, const std::string& method, double duration,
                          double step, double tolerance = 0) {
  return simulate(
      system, system.initial_state(),
      {.integrator = method, .duration = duration, .step = step, .tolerance = tolerance},
      Observer{});
}

// x1' = mu x1 (1 - x2^2) - x2, x2' = x1: with large mu a stiff relaxation oscillation, steep and
// flat.
struct VanDerPol {
  double mu = 1;
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    xdot[0] = S(mu) * x[0] * (S(1) - x[1] * x[1]) - x[1];
    xdot[1] = x[0];
  }
};

// x' = x^2: from 1, x = 1/(1 - t) leaves for infinity at t = 1.
struct Square {
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    xdot[0] = x[0] * x[0];
  }
};

}  // namespace cartan::test
