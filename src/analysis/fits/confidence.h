// What the residuals at a minimum say about the unknowns (errors of the data independent, with
// variances that are right up to one common factor; the model linear in theta within the errors).
//
//   covariance = s^2 (J^T J)^-1,   s^2 = |r|^2 / (n - k),   n residuals, k unknowns
//
// is that of the estimate as it would be without bounds. The interval of unknown j holds all values
// that the data do not contradict, the others being free to move within their bounds:
//
//   P(v) = min { |r + J d|^2 :  theta + d in the box, theta_j + d_j = v } <= min P + t^2 s^2
//
// with t from Student's distribution of n - k degrees of freedom. Away from bounds this is
// theta_j +- t (standard error). At a bound it begins there and is as long as the data leave open:
// what is held at a bound is not known for that.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

struct OpenDirection {
  double strength = 0;        // singular value over the largest, unknowns in units of their size
  Eigen::VectorXd direction;  // of theta, in units of its size, length 1
};

// Where the linearised sum of squares has risen to the end of an interval, and by how much.
struct IntervalEnd {
  Eigen::VectorXd theta;
  double rise = 0;  // at most t^2 s^2, less at a bound
};

// Empty matrices where some direction is open or there are no more residuals than unknowns.
struct Confidence {
  Eigen::MatrixXd covariance;
  Eigen::VectorXd standard_errors, interval_low, interval_high;  // 95 per cent
  std::vector<IntervalEnd> low_ends, high_ends;                  // of the intervals
  std::vector<OpenDirection> open;
};

struct LeastSquaresMinimum {
  Eigen::VectorXd theta, r;
  Eigen::MatrixXd J;
  Eigen::VectorXd lower, upper;  // infinite where there is no bound
  Eigen::VectorXd size;          // of a sensible change of each unknown
};

Confidence judge(const LeastSquaresMinimum& minimum);

// The t with P(|T| <= t) = probability for Student's distribution.
double student_quantile(double probability, double degrees);

}  // namespace cartan::analysis
