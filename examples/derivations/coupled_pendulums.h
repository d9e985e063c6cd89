// Two particles on a string between two points, which are shaken up and down (source 004, sec. 7.3,
// appendix B.1): the first is placed by two angles, the second by the angle on the circle on which
// two spheres meet.
#pragma once

#include "derivations/derivation.h"
#include "symbolic/vectors/subexpressions.h"

namespace cartan::derivations {

struct CoupledPendulums : Derivation {
  Subexpressions names{kinematics};
  Vector r1, r2;  // n1 down, n2 from the first support to the second
};
// With intermediate variables, as the document does it, or without; the equations are expanded.
std::unique_ptr<CoupledPendulums> derive_coupled_pendulums(bool with_subexpressions);

}  // namespace cartan::derivations
