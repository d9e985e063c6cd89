// Nonlinear least squares with bounds, and what the data say about the result.
//
//   minimise 1/2 |r(theta)|^2,   r_i = (model_i(theta) - measured_i) / sigma_i,   J = dr/dtheta
//
// with exact J, every unknown measured in units of its own size: Levenberg-Marquardt (Ceres). Where
// a Gauss-Newton step would meet bounds, the linearised problem is solved in the box instead and
// the step shortened until the cost falls: steps that are merely cut at a bound throw the others
// off, and the iteration crawls.
// Uncertainties: confidence.h.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/fits/confidence.h"

namespace cartan::analysis {

struct LeastSquaresProblem {
  // Residuals, and their derivatives when J is not null. "" or why there are none at this theta
  // (the step is then made shorter).
  std::function<std::string(const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J)>
      residuals;
  Eigen::VectorXd start;
  Eigen::VectorXd lower, upper;  // infinite where there is no bound
  Eigen::VectorXd size;          // of a sensible change of each unknown
};

struct LeastSquaresOptions {
  int most_iterations = 100;
  double tolerance = 1e-10;  // relative change of the cost, of theta
  std::function<void(int iteration, double cost)> on_iteration;
  const std::atomic<bool>* stop_requested = nullptr;
};

struct LeastSquaresResult : Confidence {
  std::string problem;  // why there is no minimum: a sentence
  Eigen::VectorXd theta;
  double initial_cost = 0, final_cost = 0;  // 1/2 |r|^2
  Eigen::VectorXd initial_residuals, residuals;
  int iterations = 0, evaluations = 0;
  bool converged = false;
  std::vector<int> at_bound;  // unknowns that ended at a bound
  double scale = 0;           // s: 1 where the sigmas are right and the model fits
  // How far the model is from linear within each interval: at its ends the sum of squares rises so
  // many times as much, or as little, as the linearised one (1 at best; 0: not known).
  Eigen::VectorXd curvature;
};

LeastSquaresResult minimise_squares(const LeastSquaresProblem& problem,
                                    const LeastSquaresOptions& options);

}  // namespace cartan::analysis
