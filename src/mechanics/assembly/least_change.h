// The least change of coordinates or speeds that satisfies linear equations.
#pragma once

#include <Eigen/Core>

#include "mechanics/constraints/mass_metric.h"

namespace cartan::mechanics {

// Equations on the changes d of coordinates or speeds, J d = -off. `sizes`: of the rows before
// cancellation; rows that are rounding only are left out.
struct ChangeEquations {
  SparseMatrix J;
  Eigen::VectorXd off, sizes;
};

// A change d with J d = rhs, block by block (constraints/row_blocks.h), each with the shortest
// change d_b in its own part of the metric; dependent rows are allowed, and rows that contradict
// each other are met in the mean. What is in no block does not change.
Eigen::VectorXd calc_block_change(const Metric& metric, const ChangeEquations& equations,
                                  const Eigen::VectorXd& rhs);

// The least of all:  minimise d^T M d  with  J d = rhs.  What the blocks leave free, N z beside
// d_b, is chosen together:  N^T M N z = -N^T M d.
Eigen::VectorXd calc_least_change(const Metric& metric, const ChangeEquations& equations,
                                  const Eigen::VectorXd& rhs);

}  // namespace cartan::mechanics
