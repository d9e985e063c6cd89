// Null spaces of dense matrices with a decision on rank.
#pragma once

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

// Orthonormal columns that span { x : A x = 0 }. A direction counts as null when the pivot of A
// that belongs to it is below `tolerance` times `scale`, or times the largest pivot when that is
// larger.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, double tolerance, double scale = 0);

// Directions with |A x| below the limit itself (singular values: for decisions at rounding level).
Eigen::MatrixXd null_space_below(const Eigen::MatrixXd& A, double limit);

// Orthonormal columns that span the columns of A, with the same decision.
Eigen::MatrixXd column_space(const Eigen::MatrixXd& A, double tolerance, double scale = 0);

// Orthonormal columns that, with those of Q, span everything.
Eigen::MatrixXd complement(const Eigen::MatrixXd& Q);

}  // namespace cartan::analysis
