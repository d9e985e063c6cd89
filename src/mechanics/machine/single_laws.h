// One force or constraint at a time: what derivatives by dual numbers over few directions evaluate.
// The functions stand beside those that evaluate all of them (forces.cpp, dry_friction.cpp,
// constraints.cpp).
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

struct RowSlopes;  // constraints/row_slopes.h
template <class L>
struct RowSlopesOf;

// Force element k alone, on top of what is in ws; friction as its mode says, without the loads of
// bearings. Needs positions and velocities of what it reads.
template <class S>
void apply_force(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int k);
template <class S>
void apply_friction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int k);

// The rows of one constraint between two links, and of one loop joint.
void fill_row_slopes(const Mechanism<Dual4>& mechanism, int element, RowSlopes& out);
template <class L>
void fill_loop_slopes(const Mechanism<double>& mechanism, int loop, RowSlopesOf<L>& out);

extern template void apply_force<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int);
extern template void apply_friction<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int);

}  // namespace cartan::mechanics
