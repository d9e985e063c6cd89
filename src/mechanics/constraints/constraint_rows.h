// The constraint equations as sparse rows on the speeds of the tree: a row has entries on its own
// loop alone.
#pragma once

#include "mechanics/constraints/row_blocks.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// J, drives of tree joints included. `parts` has the same places: how large each entry would be if
// nothing in it cancelled. Entries that are zero at this position are stored where they may be none
// at another.
struct ConstraintRows {
  SparseMatrix J, parts;
  // Of whole rows, with speeds in units of `scales`. A row far below its size is rounding.
  Eigen::VectorXd sizes(const Eigen::VectorXd& scales) const;
  Eigen::VectorXd sizes() const { return sizes(Eigen::VectorXd::Ones(J.cols())); }
};
inline constexpr double cancelled = 1e-10;  // of the size

// Needs fill_kinematics.
ConstraintRows calc_constraint_rows(const Mechanism<double>& mechanism,
                                    MotionWorkspace<double>& ws);

// d(loop speeds)/dv; needs fill_kinematics.
SparseMatrix calc_loop_rows(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

}  // namespace cartan::mechanics
