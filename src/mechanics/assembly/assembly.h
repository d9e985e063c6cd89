// Consistent starts: from what a file says to a state that satisfies all constraints.
//
// Joints in file order: a written value is held if the constraints, together with the values held
// before, leave it free; a later one is where the search begins, no more. Positions first, then
// speeds, of which those of [speeds] come first and are held, or there is no start. Everything else
// follows with the smallest mass-weighted change,
//   minimise  e^T M e  with  g = 0 and the held values,     e: the change of the joints' motions
// A value counts as free when at least 1e-6 of it, with speeds measured in units of equal inertia,
// is left by the rows before it (constraint_matrix.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechanics/constraints/constraint_matrix.h"
#include "mechanics/machine/mechanism_system.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Changes q and v (tree joints), which have the written values.
AssemblyReport assemble(const Mechanism<double>& mechanism, double t, std::span<double> q,
                        std::span<double> v, const WrittenStart& written,
                        MotionWorkspace<double>& ws);

// A position in which the constraints have a smaller rank than nearby ones is singular: the motion
// from it is not unique. Says so, or nothing. `rank` is that of the position in q.
std::string find_singularity(const Mechanism<double>& mechanism, double t,
                             std::span<const double> q, const RankReport& rank,
                             MotionWorkspace<double>& ws, int& row);

}  // namespace cartan::mechanics
