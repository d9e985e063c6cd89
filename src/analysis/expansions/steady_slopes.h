// How a steady motion changes with parameters, by the implicit function theorem.
//
// Along a family x(p), a(p) of steady motions, with the fields Y_i of the geometry (symmetries.h),
//   f(x; p) = sum_i a_i Y_i(x),   g(x; p) = 0,   h_j(x) = h_j(x0(p))
// hold, and so do their derivatives: linear equations for x' and a' with the matrix of Newton's
// method. a = S c with the combinations S of fields that are symmetries; S itself may turn with a
// parameter (the direction of gravity), and its change follows from the commutators that vanish.
#pragma once

#include "analysis/steady_problem.h"
#include "system/state_curvature.h"

namespace cartan::analysis {

struct SteadyMotion {
  State state;
  Eigen::VectorXd c;       // speeds along the symmetries
  std::vector<Held> held;  // what fixes it among its neighbours, with values of the start
  // x0'(p), embedded numbers without quadratures x parameters; of what is held and, where the
  // start itself is the steady motion, of that.
  Eigen::MatrixXd start_slopes;
  bool is_start = false;
};

struct SteadySlopes {
  std::string problem;      // why there are none: a sentence
  Eigen::MatrixXd state;    // x': embedded numbers without quadratures x parameters
  Eigen::MatrixXd factors;  // a': fields x parameters
  // S' of each parameter: fields x symmetries.
  std::vector<Eigen::MatrixXd> symmetries;
};

// `curvature` is that of the problem's system and of these parameters.
SteadySlopes calc_steady_slopes(const SteadyProblem& problem, const SteadyMotion& motion,
                                std::span<const int> parameters, StateCurvature& curvature);

}  // namespace cartan::analysis
