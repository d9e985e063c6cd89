// Recursive tree dynamics, O(n) (formulation `recursive`).
//
// World axes, every spatial quantity about the origin o of its own link; angular part first.
// Rigid body:      n = J dw + mc x du + w x J w - n_ext
//                  f = m du + dw x mc + w x (w x mc) - f_ext
//                  with J, mc about o; du includes -gravity (the world accelerates by -g).
// Forward dynamics: articulated bodies. From the tips inward each link presents
//                  [n; f] = [A B; B^T D] [dw; du] + [n0; f0]
// to its joint. Eliminating the joint's acceleration leaves what the parent feels:
//   rotation about o in any direction: n = tau, so only a force passes,
//        D' = D - B^T A^-1 B,  f' = f0 + B^T A^-1 (tau - n0)          (about 300 flops a link)
//   rotation about an axis s: rank-one update with U = I s, d = s . U
//   K columns S: I' = I - U (S^T U)^-1 U^T
// A shift by r = o_i - o_p: B' = B + r^ D, A' = A + r^ B'^T - B r^, n' = n + r x f. Because axes
// are the world's, nothing is ever rotated on the way inward. Inverse dynamics: accelerations
// outward, wrenches inward, tau = S^T wrench (calc_inverse_dynamics in kinematics.h). Mass matrix:
// composite bodies, M_ij = S_i^T I_c S_j, cost O(n depth).
#pragma once

#include <span>

#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {

// v' for the applied wrenches and ws.tau; needs fill_kinematics. Fills ws.vdot and link
// accelerations.
template <class S>
void solve_accelerations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// Row-major nv x nv.
template <class S>
void calc_mass_matrix(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::span<S> M);

// The joint (in the model) whose motion sees no inertia in the configuration of ws, or -1; needs a
// preceding fill_kinematics.
int find_joint_without_inertia(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

}  // namespace cartan::mechanics
