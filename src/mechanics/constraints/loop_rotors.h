// Rotors that turn with a coordinate of a joint that closes a loop; in absolute coordinates every
// joint does.
//
// A rotor of inertia I on the coordinate with speed v_l = alpha . (w_C - w_P) + beta . (u_C - u_P)
// adds I v_l^2 / 2 to T. On the two bodies it acts as the generalised force -I v_l' in the joint:
//   M v' + c = J^T lambda - S^T I S v' - S^T I s,        v_l' = S v' + s
// so that it couples both bodies, and M grows by S^T I S. Where M is formed (moving_frame.h, mass
// matrices) it is added there. The recursions of closed mechanisms and of free bodies never form M:
// they are solved for no force and for a unit force of every rotor, and as v' is linear in forces,
//   v_l' = a_l + sum_k H_lk f_k,  f = -I v'     gives     (1 + H I) v' = a
// H is symmetric and not negative: the pivots of 1 + H I are at least one.
#pragma once

#include "mechanics/forces/dry_friction.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// ws.loop_vdot, ws.rotor_n, ws.rotor_f for the accelerations of the links; needs fill_kinematics.
template <class S>
void fill_rotor_wrenches(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// `solve` without rotors, then with them. Leaves the applied wrenches as they were.
template <class S>
void solve_with_loop_rotors(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                            AccelerationSolver<S> solve);

// M += S^T I S (row-major) and rhs -= S^T I s, where it is given; needs fill_columns.
template <class S>
void add_loop_rotors(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, S* M, S* rhs);

}  // namespace cartan::mechanics
