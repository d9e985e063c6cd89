// What is done once with the rows of the constraint equations: ranks, the choice of independent
// rows, least-norm multipliers. The fast paths never form them.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "mechanics/constraints/constraint_rows.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

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
                                  const SparseMatrix& rows, RowKind kind);

// The first of the speeds (its place in the list) that the constraints and the earlier ones decide,
// or -1 when all are independent.
int find_dependent_speed(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                         const std::vector<int>& speeds);

// Forces on independent speeds, those of driven joints before the first others of the file; the
// rest of a force is carried by the constraints (drives are none here: they are forces):
//   force = actuators + J^T lambda,    actuators = map force,    zero on all other speeds
Eigen::MatrixXd calc_actuator_map(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

}  // namespace cartan::mechanics
