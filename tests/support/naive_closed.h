// The naive reference for closed mechanisms and constraints: one dense system in all joint speeds
// v, those of loop joints too (which carry no inertia but that of rotors),
//   M v' + c = J^T lambda        J v' = gamma,
// with rows and gamma from naive_constraints.h, M and c by projecting Newton and Euler on
// differentiated poses. Solved in extended precision by singular values: J may have any rank;
// v' is unique, lambda the one of least norm (in the scaling below). Reactions by Newton and Euler
// for everything outboard of a joint; those of loop joints are their multipliers.
//
// A drive or coupler acts through its joints, so that its force is part of their reactions; a
// distance, a rolling wheel and a knife edge act on the bodies.
//
// Friction without bearings only, exact friction only while it slips.
#pragma once

#include "support/naive_constraints.h"
#include "support/naive_dynamics.h"

namespace cartan::test {

// Scaled to be free of units: speeds by the square roots of their inertia (speeds of loop joints:
// to unit columns), rows by the sizes of the terms they consist of, so that a row that cancels is
// seen to vanish.
struct NaiveRank {
  Eigen::VectorXd row_scale, speed_scale;         // J_scaled = J / (row_scale speed_scale^T)
  Eigen::VectorXd singular_values;                // of J scaled, descending
  int rank = 0;                                   // of J
  double smallest_kept = 1, largest_dropped = 0;  // singular values, relative to the largest
};

struct NaiveClosedResult : NaiveResult {
  // vdot, columns, mass_matrix: all speeds, file order; rows of loop joints' speeds are zero in M.
  NaiveRows rows;
  NaiveRank rank;
  int dof = 0;        // speeds of the tree minus the rank of all constraints on them
  int redundant = 0;  // rows that others imply; a loop joint counts 6 - nv rows
  Eigen::VectorXd multipliers;
  std::vector<bool> unique;     // per joint: no null vector of J^T changes the reaction
  double constraint_power = 0;  // of drives
  // What is left over of J v + time_rate = 0 and J v' = gamma (scaled): not zero when no motion
  // fulfils them.
  double velocity_residual = 0, acceleration_residual = 0;
  double kappa = 1;  // condition number of the scaled system [M J^T; J 0], zeros left out
  double multiplier_scale = 0;  // largest scaled multiplier
};

NaiveClosedResult calc_naive_closed_dynamics(const NaiveTree& tree, const NaiveState& state);

// Speeds made consistent with all rows by the smallest scaled change.
void project_naive_speeds(const NaiveTree& tree, NaiveState& state);

}  // namespace cartan::test
