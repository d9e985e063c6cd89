// Articulated bodies in the axes of the links, for symbols: O(n) operations, and from about eight
// speeds on the fewest of all forms.
//
// In world axes (recursive.h) nothing falls out. In the axes of a link whose joint moves along or
// about a coordinate axis e of it
//   U = I e is a column of the inertia, no product;
//   what passes the joint has no row and column e: 15 numbers instead of 21;
//   a turn about e mixes two components (link_motion.h);
//   inertia and offset of a link are constants, and their zeros fall out.
// Nor are there centrifugal terms: the wrenches p are those of the motion at v' = 0
// (link_motion.h), and m = (change of dw, change of a) against it begins with zero at the world.
//   inward   U = I S, d = S.U + rotor, u = tau - S.p:   I -= U U^T/d,  p += U u/d
//            one speed after the other, then turned and shifted by r to the parent
//   outward  v' = (u - U.m)/d,  m += S v', in the opposite order
//
// The column of a joint about e is the same before its turn R and after: R (I - U U^T/d) R^T =
// R I R^T - (R U)(R U)^T/d. In the axes of the link what passes the joint is turned, 15 numbers. In
// the axes of the joint I is turned first, 21 numbers, and the turn is done while 1/d is being
// computed: more operations, but along a chain less to wait for.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::codegen {

// AccelerationSolvers (dry_friction.h) for trees without loops and constraints but drives.
template <class S>
void solve_in_link_axes(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);
template <class S>
void solve_in_joint_axes(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

}  // namespace cartan::codegen
