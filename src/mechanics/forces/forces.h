// Force elements: wrenches on links, generalised forces on joints, and their energy terms.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan {

// Fills ws.wrench_*, ws.tau (all but friction), ws.force_energy; needs fill_kinematics.
template <class S>
void fill_forces(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// Force element k alone, on top of what is in ws; friction as its mode says, without the loads of
// bearings. Needs positions and velocities of what it reads.
template <class S>
void apply_force(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int k);

// T of all links.
template <class S>
S calc_kinetic_energy(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws);

// -sum m g . x
template <class S>
S calc_gravity_potential(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws);

// V of gravity and all conservative elements; calls nothing that changes forces.
template <class S>
S calc_potential_energy(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

}  // namespace cartan
