// Nonlinear least squares with bounds, and what the data say about the result.
//
//   minimise 1/2 |r(theta)|^2,   r_i = (model_i(theta) - measured_i) / sigma_i,   J = dr/dtheta
//   exact
// Levenberg-Marquardt (Ceres), every unknown measured in units of its own size. At the minimum
//   covariance = s^2 (J^T J)^-1,   s^2 = |r|^2 / (n - k)
// with n residuals and k unknowns; 95 per cent intervals from Student's t with n - k degrees of
// freedom. Directions of theta that the data leave open are singular vectors of J with (nearly)
// zero singular values: they are told, and there is no covariance then.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace cartan {

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

struct OpenDirection {
  double strength = 0;        // singular value over the largest, unknowns in units of their size
  Eigen::VectorXd direction;  // of theta, in units of its size, length 1
};

struct LeastSquaresResult {
  std::string problem;  // why there is no minimum: a sentence
  Eigen::VectorXd theta;
  double initial_cost = 0, final_cost = 0;  // 1/2 |r|^2
  Eigen::VectorXd initial_residuals, residuals;
  int iterations = 0, evaluations = 0;
  bool converged = false;
  std::vector<int> at_bound;  // unknowns that ended at a bound

  // of the unknowns that are not at a bound; empty where some direction is open
  Eigen::MatrixXd covariance;
  Eigen::VectorXd standard_errors, interval_low, interval_high;  // 95 per cent
  std::vector<OpenDirection> open;
};

LeastSquaresResult minimise_squares(const LeastSquaresProblem& problem,
                                    const LeastSquaresOptions& options);

// The t with P(|T| <= t) = probability for Student's distribution.
double student_quantile(double probability, double degrees);

}  // namespace cartan
