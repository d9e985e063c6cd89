// Forward dynamics of small trees in the axes of the links: Newton-Euler for the bias, composite
// bodies for M, and M = L^T D L from the tips inward.
//
// For numbers the recursion in world axes (recursive.h) is faster. For symbols this form has the
// fewest operations up to about a dozen speeds: in its link's axes a motion column is constant, a
// turn about a coordinate axis mixes two components only, and L keeps the zeros between branches.
// The motion at v' = 0 and its wrenches: link_motion.h.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::codegen {

// M v' = rhs into M_star and rhs of ws.moving_frame, speeds in file order; speeds whose v' is known
// (stuck or driven joints) have an equation v' = rhs. An AccelerationSolver (dry_friction.h) that
// leaves the solving to others; O(n depth) operations. Equations are read in this form: squares of
// sines and cosines stay as they are (TurnForm).
template <class S>
void form_in_link_frames(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// An AccelerationSolver (dry_friction.h) for trees without loops and constraints but drives.
template <class S>
void solve_in_link_frames(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

}  // namespace cartan::codegen
