// Back to the constraint manifold with the smallest mass-weighted change, O(n).
//
//   positions:  M d = J^T mu,  J d = -g,   q <- q exp(d)     (Newton; M d is the impulse that moves
//   speeds:     M d = J^T mu,  J d = -(y - b)                 nothing it need not move)
// Both are one closed recursion without forces and velocities. Driven joints are put where their
// drive wants them first.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

struct ProjectionResult {
  double position_change = 0, velocity_change = 0;        // largest change of a coordinate or speed
  double position_violation = 0, velocity_violation = 0;  // left over
  double least_pivot = 1;  // smallest squared sine between active rows
  bool moved = false;
};

// Changes q and v. The rows of the mode in ws are used; `still` is scratch for nv zeros.
ProjectionResult project_state(const Mechanism<double>& mechanism, double t, double* q, double* v,
                               MotionWorkspace<double>& ws);

// The smallest mass-weighted change d of coordinates or speeds with J d = -residual for the active
// rows, into ws.vdot. Needs fill_kinematics at the position without speeds.
void solve_least_change(const Mechanism<double>& mechanism, const std::vector<double>& residual,
                        MotionWorkspace<double>& ws);

// Puts driven joints of the tree exactly where they belong; needs ws.t. True when a number changed.
bool place_driven_joints(const Mechanism<double>& mechanism, double* q, double* v,
                         MotionWorkspace<double>& ws, ProjectionResult& result);

// Largest |g| and |y - b| at the state in ws (fill_kinematics).
double calc_position_violation(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);
double calc_velocity_violation(const Mechanism<double>& mechanism,
                               const MotionWorkspace<double>& ws);

}  // namespace cartan::mechanics
