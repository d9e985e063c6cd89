// Forward dynamics of small trees in the axes of the links: Newton-Euler for the bias, composite
// bodies for M, and M = L^T D L from the tips inward.
//
// For numbers the recursion in world axes (recursive.h) is faster. For symbols this form has the
// fewest operations up to about a dozen speeds: in its link's axes a motion column is constant, a
// turn about a coordinate axis mixes two components only, and L keeps the zeros between branches.
//   w  = R^T w_p + Phi v               R: link axes in the parent's, r: origin in the parent's
//   dw = R^T dw_p + w x Phi v + Phi' v
//   a  = R^T (a_p + dw_p x r + w_p x (w_p x r)) + (R^T w_p + w) x Psi v + Psi' v
//   n  = J dw + mc x a + w x J w - n_ext,   f = m a + dw x mc + w x (w x mc) - f_ext
// with a = -gravity at the world.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// M v' = rhs into M_star and rhs of ws.moving_frame, speeds in file order; speeds whose v' is known
// (stuck or driven joints) have an equation v' = rhs. An AccelerationSolver (dry_friction.h) that
// leaves the solving to others; O(n depth) operations.
template <class S>
void form_in_link_frames(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// An AccelerationSolver (dry_friction.h) for trees without loops and constraints but drives.
template <class S>
void solve_in_link_frames(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

}  // namespace cartan::mechanics
