// The moving-frame formulation (sources 000 and 003): M* v' + N* v = F*.
//
// X' = (x_1', w_1, ..., x_n', w_n) = B(q) v, x_i the centre of mass (world axes), w_i in body axes.
// Joint j on the path from the world to body i, with world columns Phi_j, Psi_j at its origin o_j:
//   B^x_ij = Psi_j + Phi_j x (x_i - o_j)            B^w_ij = R_i^T Phi_j
//   dB^x_ij = Psi_j' + Phi_j' x (x_i - o_j) + Phi_j x (x_i' - o_j')
//   dB^w_ij = R_i^T (Phi_j' - w_i x Phi_j)          (w_i, Phi_j' world)
//   M = diag(m 1, J)   D = diag(0, hat(w))   M* = B^T M B   N* = B^T (M B' + D M B)   F* = B^T F +
//   tau
// B and B' cost O(sum of depths); M* and its Cholesky factorisation O(n^3) with small constants.
// The right-hand side N* v is formed from B' v and w, never from the matrix N*.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

template <class S>
MovingFrame<S> make_moving_frame(const Mechanism<S>& mechanism);

// B and Bdot from the kinematics in ws, into ws.moving_frame.
template <class S>
void fill_moving_frame(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// M* = B^T M B and F* - N* v (M_star, rhs of ws.moving_frame); needs fill_forces.
template <class S>
void fill_moving_frame_equations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// The whole set in ws.moving_frame:  M* v' = rhs + J^T lambda,  J v' = gamma  over the active rows;
// speeds whose v' is known (stuck or driven joints) have an equation v' = rhs. An
// AccelerationSolver (dry_friction.h) that leaves the solving to others.
template <class S>
void form_moving_frame(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// An AccelerationSolver (dry_friction.h): v' by B^T M B and Cholesky, in trees refined once.
template <class S>
void solve_moving_frame(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

}  // namespace cartan::mechanics
