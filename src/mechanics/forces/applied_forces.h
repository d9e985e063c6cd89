// Forces and constraints one by one: on which body, where, how strong.
//
// A force in a joint (torsion, joint, friction, a potential of joint coordinates) is a generalised
// force tau on the joint's speeds. It acts on the child at the origin of C, and the opposite on the
// parent at the same point, as the wrench (n, f) along the joint's own motions (phi_k, psi_k) that
// has its power in all of them:
//   phi_k . n + psi_k . f = tau_k,   (n, f) = sum_k c_k (phi_k, 0)  or  c_k (0, psi_k) if phi_k = 0
// that is a torque about axes, a force along slides, and for a screw the torque that turns it.
// Drives, couplers and stops act likewise with their multipliers; a distance, a knife edge and a
// rolling disc as forces at their points.
#pragma once

#include "mechanics/machine/mechanism_system.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// A wrench on a joint's child, at C's origin in the world; the parent gets the opposite.
struct JointWrench {
  Vec3<double> point, force, torque;
};

// Of the generalised force tau on the speeds of a joint of the model; needs fill_columns.
JointWrench calc_joint_wrench(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                              int joint, const double* tau);

// Friction (its loads, what it holds) and constraints follow from the accelerations.
bool needs_accelerations(const Mechanism<double>& mechanism);

// Needs fill_forces; with needs_accelerations solve_with_friction, the multipliers and
// fill_reactions too. Sides that are fixed to the world are listed where the element has them.
std::vector<AppliedWrench> list_applied_forces(const Mechanism<double>& mechanism,
                                               MotionWorkspace<double>& ws);

}  // namespace cartan::mechanics
