// min 1/2 d^T H d + g^T d   with   A d = b in the first rows, A d <= b in the others
//
// Goldfarb and Idnani's dual method: from the minimum without constraints the most violated one is
// added, others leave where their multiplier would turn negative. For a few unknowns: everything is
// solved anew at each exchange.
#pragma once

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

struct QuadraticStep {
  bool feasible = false;
  Eigen::VectorXd d, multipliers;  // of A's rows; those of inequalities are not negative
};

// H positive definite; `equalities` first rows of A.
QuadraticStep solve_quadratic(const Eigen::MatrixXd& H, const Eigen::VectorXd& g,
                              const Eigen::MatrixXd& A, const Eigen::VectorXd& b, int equalities);

}  // namespace cartan::analysis
