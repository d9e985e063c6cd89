// The rest position of least potential energy near a given one.
//
// At rest v' = a(q) is the direction of steepest descent of V in the metric of the masses, with the
// constraints kept: dV/ds along it is -a.M.a. Steps are Newton's on a = 0, with the signs of
// negative curvatures turned (so that V falls also near maxima and saddles), halved until V falls,
// and put back on the constraints. The derivatives of a are exact.
#pragma once

#include "analysis/steady_problem.h"

namespace cartan::analysis {

struct Minimum {
  bool found = false;
  std::string problem;
  State state;  // at rest
  double potential = 0;
  int iterations = 0;
};

Minimum minimise_potential(const SteadyProblem& problem, const State& start,
                           const StateFunction& potential);

}  // namespace cartan::analysis
