// Force elements: wrenches on links, generalised forces on joints, and their energy terms.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Fills ws.wrench_*, ws.tau (all but friction), ws.force_energy; needs fill_kinematics.
template <class S>
void fill_forces(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// T of all links.
template <class S>
S calc_kinetic_energy(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws);

// -sum m g . x
template <class S>
S calc_gravity_potential(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws);

// V of gravity and all conservative elements; calls nothing that changes forces.
template <class S>
S calc_potential_energy(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

}  // namespace cartan::mechanics
