// A body turned into a given orientation, as three equations.
//
//   e = log(R_target^T R),   e' = dexp^-1_{-e} w,   w = W(q) v the angular velocity in body axes
//
// W is the exact derivative of the names BODY.wx .wy .wz by the speeds; the speeds of a tangent
// change of q follow from q' = N(q) v.
#pragma once

#include <memory>
#include <string>

#include "core/vec3.h"
#include "mechanics/machine/mechanism_system.h"
#include "system/state_equations.h"

namespace cartan::mechanics {

// Null where the formulation has no functions of its state. The system must outlive the result.
std::unique_ptr<StateEquations> make_orientation_target(const MechanicalSystem& system, int body,
                                                        const Quat<double>& target,
                                                        std::string name);

}  // namespace cartan::mechanics
