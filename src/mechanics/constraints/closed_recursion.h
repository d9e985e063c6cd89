// Forward dynamics of mechanisms with loops and constraints: the articulated-body recursion
// carrying constraint rows along (constraint_plan.h), O(n) while loops are local.
//
// A joint with columns S, U = I S, D = S^T U, that also takes part in rows with factors C:
//   Q  = C + S^T K
//   K' = K - U D^-1 Q,     G' = G + Q^T D^-1 Q,     g' = g + Q^T D^-1 u  (u: joint force less bias)
//   v' = D^-1 (u + Q lambda - U^T a)
// Rows that end at a link, G = L D L^T, Y = L^-1 K^T:  lambda = -L^-T D^-1 (Y a + L^-1 g), and the
// link goes on with I + Y^T D^-1 Y: constraints stiffen. Rows beside them lose what they have in
// common.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// v', link accelerations and multipliers of the active rows; needs fill_kinematics and the forces.
template <class S>
void solve_closed(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

}  // namespace cartan::mechanics
