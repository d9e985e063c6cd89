// Steady states near a given one: static equilibria and relative ones, by a globalised Newton
// method on the equations of steady_problem.h.
//
// The equations are consistent but redundant, and their solutions form families (neutral
// directions). Each step is the damped least-squares one of smallest norm,
//   d = -sum_i s_i / (s_i^2 + mu) v_i (u_i . F)      (singular values s, vectors u, v of the
//   matrix)
// which moves along no neutral direction; mu follows the success of the steps and goes to zero, so
// that the end is Newton's. Then as many initial values are held as there are neutral directions,
// and the equations are solved once more with them.
#pragma once

#include <functional>

#include "analysis/linearisation.h"

namespace cartan::analysis {

struct EquilibriumOptions {
  std::vector<Held> held;    // by the user
  bool hold_initial = true;  // hold initial values along the remaining neutral directions
  int iterations = 200;
  double tolerance = 1e-12;  // of |F|, relative to the rates
};

struct Equilibrium {
  bool found = false;
  std::string problem;  // where the search stopped, and why
  State state;          // where it stopped
  Eigen::VectorXd c;    // speeds along the symmetries
  double residual = 0;  // there
  int iterations = 0;
  std::vector<std::string> held;       // everything that was held
  std::vector<Held> holds;             // the same, with their values
  std::vector<std::string> contested;  // initial values that could not be kept
};

Equilibrium find_equilibrium(const SteadyProblem& problem, const State& start,
                             const EquilibriumOptions& options = {});

// What fixes a steady state that these equations and `held` leave open: values of `reference`, one
// per neutral direction, those that it moves most.
std::vector<Held> hold_open_directions(const SteadyProblem& problem, const State& state,
                                       const Eigen::VectorXd& c, const std::vector<Held>& held,
                                       const State& reference);

// A state that is steady to 1e-9, moved onto the steady motion to rounding (a few Newton steps of
// smallest norm; c follows). The state itself where that does not help.
State polish(const SteadyProblem& problem, const State& state, Eigen::VectorXd& c);

}  // namespace cartan::analysis
