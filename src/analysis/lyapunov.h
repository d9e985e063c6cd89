// Lyapunov exponents: how fast small displacements grow along a motion, on average,
//   lambda_1 >= lambda_2 >= ...,  lambda_i = lim 1/T sum log R_ii
// with a QR decomposition of the displacements again and again (Q stays, R is counted).
#pragma once

#include <functional>

#include "analysis/flow.h"
#include "system/state_function.h"

namespace cartan::analysis {

struct LyapunovOptions {
  double duration = 1000;  // over which the average is taken
  double transient = 100;  // before it, to come close to the attractor
  double step = 0;         // between decompositions; 0: when displacements have become too unequal
  FlowOptions flow = {.tolerance = 1e-9};
  const StateFunction* section = nullptr;         // with on_crossing: where it rises through zero
  std::function<void(const State&)> on_crossing;  // after the transient
  std::function<void(double fraction)> on_progress;
};

struct LyapunovResult {
  std::string problem;            // why the motion could not be followed
  std::vector<double> exponents;  // descending
  std::vector<double> errors;     // standard errors, from ten parts of the motion
  double duration = 0;
  long decompositions = 0, evaluations = 0;
  State end;
};

LyapunovResult calc_lyapunov_exponents(const System& system, const State& start,
                                       const LyapunovOptions& options);

}  // namespace cartan::analysis
