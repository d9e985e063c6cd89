// Systems that solve the linear equations of implicit methods along their own structure, without a
// matrix of all states: O(n) for a tree of n bodies.
#pragma once

#include <complex>
#include <span>

#include "system/system.h"

namespace cartan::system {

class StageSolver {
 public:
  virtual ~StageSolver() = default;

  // Whether it ever does.
  virtual bool solves_stages() const = 0;
  // v' = f(t, q, v), q' = N(q) v, linearised at a state. False: not here; take the Jacobian.
  virtual bool linearise(StateView at, Workspace& workspace) const = 0;
  // The factors of 1 - s f_v - s^2 f_q N, kept under a number counted from zero.
  virtual void factorise_stage(int which, std::complex<double> s, Workspace& workspace) const = 0;
  // x <- (1 - s f_v - s^2 f_q N)^-1 x, as many numbers as there are speeds.
  virtual void solve_stage(int which, std::span<std::complex<double>> x,
                           Workspace& workspace) const = 0;
};

inline const StageSolver* find_stage_solver(const System& system) {
  const auto* solver = dynamic_cast<const StageSolver*>(&system);
  return solver && solver->solves_stages() ? solver : nullptr;
}

}  // namespace cartan::system
