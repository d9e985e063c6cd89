// One force or constraint at a time: what derivatives by dual numbers over few directions evaluate.
// The functions stand beside those that evaluate all of them (forces.cpp, dry_friction.cpp,
// constraints.cpp).
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Force element k alone, on top of what is in ws; friction as its mode says, without the loads of
// bearings. Needs positions and velocities of what it reads.
template <class S>
void apply_force(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int k);
template <class S>
void apply_friction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int k);

// The rows of one loop joint, or of one constraint (`loop` < 0), alone; `source` is the first of
// theirs. Rows with a negative number in `counts` may be left out. Needs positions and velocities
// of what they act on.
template <class S>
void fill_rows_of(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int loop, int element,
                  int row, std::size_t source, const int* counts);

extern template void apply_force<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int);
extern template void apply_friction<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int);
extern template void fill_rows_of<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int, int,
                                         int, std::size_t, const int*);

}  // namespace cartan::mechanics
