// Single steps along a branch: predictor, corrector, tangent.
#pragma once

#include <optional>

#include "analysis/continuation.h"

namespace cartan::analysis {

class BranchFollower {
 public:
  BranchFollower(ContinuationProblem& problem, const ContinuationOptions& options)
      : problem_(problem), options_(options) {}

  // Gauss-Newton with one more equation: steps have no part along `row` (weighted); without a row
  // the parameter stays. Iterations, or -1; `trouble` then says why.
  int correct(ContinuationPoint& point, const Eigen::VectorXd* row,
              ContinuationProblem::Equations& at);
  // The solution that shares its part along the tangent with from + s tangent.
  std::optional<BranchSample> advance(const BranchSample& from, double s, int& iterations);
  // A solution with its tangent (turned towards `before`, or towards options.to) and spectrum.
  std::optional<BranchSample> sample(ContinuationPoint point,
                                     const ContinuationProblem::Equations& at,
                                     const Eigen::VectorXd* before, double arc);

  std::string trouble;

 private:
  ContinuationProblem& problem_;
  const ContinuationOptions& options_;
};

// a . W^2 b
double weighted_dot(const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                    const Eigen::VectorXd& weights);

}  // namespace cartan::analysis
