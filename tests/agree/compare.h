// Every formulation against the naive dense Newton-Euler reference, in one state.
//
// Tolerance: 1e3 kappa eps, relative. kappa is the condition number of the mass matrix scaled to
// unit diagonal (agreement.h). Accelerations are measured in the same scaling, sqrt(M_ii) v_i',
// against their own norm or what the largest eigenvalue makes of the forces that nearly cancel,
// whichever is larger; forces and torques against the largest in the mechanism; energies and powers
// against the sum of the absolute values of their terms.
#pragma once

#include "agreement.h"

namespace cartan::test {

struct Worst {  // largest error as a fraction of the tolerance
  double acceleration = 0, reaction = 0, energy = 0, power = 0, moved = 0;
  int unresolved = 0;  // the naive iteration for loads of bearings found no end
  int absolute = 0;    // systems of free bodies among those compared
};

void compare_with_naive(const Case& c, Worst& worst);

}  // namespace cartan::test
