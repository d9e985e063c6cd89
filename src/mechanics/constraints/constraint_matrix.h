// The constraint equations as a dense matrix, for what is done once: ranks, the choice of
// independent rows, least-norm multipliers, consistent starts. The fast paths never form it.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// J (rows x speeds), drives of tree joints included; needs fill_kinematics.
Eigen::MatrixXd calc_constraint_matrix(const Mechanism<double>& mechanism,
                                       MotionWorkspace<double>& ws);

// How large each row of J would be if nothing in it cancelled, with speeds in units of `scales`. A
// row far below its size is rounding.
Eigen::VectorXd calc_row_sizes(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                               const Eigen::VectorXd& scales);
inline constexpr double cancelled = 1e-10;  // of the size

// d(loop speeds)/dv; needs fill_kinematics.
Eigen::MatrixXd calc_loop_matrix(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

// The mass matrix, made positive definite where no inertia is seen (driven bodies without mass).
Eigen::MatrixXd calc_metric(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

struct RankReport {
  int rows = 0, rank = 0;                      // of all constraints
  int holonomic_rows = 0, holonomic_rank = 0;  // of those on positions
  std::vector<int> active;  // per row: 1 for an independent set of that rank, drives first
  std::vector<int> holonomic_active;  // the same for the rows on positions alone
  int weakest = -1;                   // the chosen row that adds least to the others ...
  double strength = 1;  // ... and how much, of its size: near zero close to a singular position
  int redundant() const { return rows - rank; }
};

// Ranks at the state in ws (fill_kinematics). Rows count as dependent when the sine of the angle
// they make with the others, in speeds scaled by inertia, is below 1e-8 or a hundred times the
// position violation.
RankReport calc_rank(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

// The multipliers of all rows with J^T lambda = J^T ws.lambda and the smallest norm.
std::vector<double> calc_least_multipliers(const Mechanism<double>& mechanism,
                                           MotionWorkspace<double>& ws);

// Of rows on the speeds of the tree, one after the other, those that the constraints and the chosen
// rows before leave free: at least `least_share` of the row, with speeds in units of equal inertia,
// is left over by them. Needs fill_kinematics.
enum class RowKind { positions, positions_and_speeds };  // the constraints that count
inline constexpr double least_share = 1e-6;
std::vector<int> choose_free_rows(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                                  const Eigen::MatrixXd& rows, RowKind kind);

// The first of the speeds (its place in the list) that the constraints and the earlier ones decide,
// or -1 when all are independent.
int find_dependent_speed(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                         const std::vector<int>& speeds);

// Forces on independent speeds, those of driven joints before the first others of the file; the
// rest of a force is carried by the constraints (drives are none here: they are forces):
//   force = actuators + J^T lambda,    actuators = map force,    zero on all other speeds
Eigen::MatrixXd calc_actuator_map(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

}  // namespace cartan::mechanics
