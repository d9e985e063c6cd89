// The least change of coordinates or speeds that satisfies linear equations.
#pragma once

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::mechanics {

// Equations on the changes d of coordinates or speeds, J d = -off. `sizes`: of the rows before
// cancellation; rows that are rounding only are left out.
struct ChangeEquations {
  Eigen::MatrixXd J;
  Eigen::VectorXd off, sizes;
};

// Least change d in the metric, dependent rows allowed:  minimise d^T M d  with  J d = rhs.
//
// Equations are solved block by block (constraints/row_blocks.h), each with the shortest change d_b
// in its own part of the metric; rows that contradict each other are met in the mean. What they
// leave free, N z beside d_b, is chosen together:  N^T M N z = -N^T M d.
Eigen::VectorXd calc_least_change(const Eigen::MatrixXd& metric, const ChangeEquations& equations,
                                  const Eigen::VectorXd& rhs);

}  // namespace cartan::mechanics
