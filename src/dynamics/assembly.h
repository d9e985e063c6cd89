// Consistent starts: from the file's guesses to a state that satisfies all constraints, with the
// smallest mass-weighted change.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics/constraint_matrix.h"
#include "dynamics/mechanism_system.h"
#include "dynamics/motion_workspace.h"

namespace cartan {

// Coordinates and speeds written for loop joints, per loop; empty where there are none.
struct LoopGuesses {
  std::vector<std::vector<double>> q, v;
};

// Changes q and v (tree joints).
AssemblyReport assemble(const Mechanism<double>& mechanism, double t, std::span<double> q,
                        std::span<double> v, const LoopGuesses& guesses,
                        MotionWorkspace<double>& ws);

// A position in which the constraints have a smaller rank than nearby ones is singular: the motion
// from it is not unique. Says so, or nothing. `rank` is that of the position in q.
std::string find_singularity(const Mechanism<double>& mechanism, double t,
                             std::span<const double> q, const RankReport& rank,
                             MotionWorkspace<double>& ws, int& row);

}  // namespace cartan
