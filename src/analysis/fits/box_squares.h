// Linear least squares in a box:  minimise |A x - b|^2,  low <= x <= high.
#pragma once

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

// A has independent columns; bounds may be infinite, low <= high.
Eigen::VectorXd solve_in_box(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                             const Eigen::VectorXd& low, const Eigen::VectorXd& high);

}  // namespace cartan::analysis
