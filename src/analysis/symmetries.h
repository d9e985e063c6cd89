// Symmetries of a System: the combinations of the fields its geometry proposes that commute with
// the flow and are tangent to the constraints.
//
//   Y = sum_k a_k Y_k   with   [f, Y](x) = Df Y - DY f = 0,   C Y = 0
// for x on the manifold. Both are linear in a, exact (no differences), and are asked for at several
// points near the state, drawn with a fixed seed: what vanishes at all of them vanishes.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "system/motion_geometry.h"

namespace cartan::analysis {

struct Symmetries {
  Eigen::MatrixXd fields;  // column k: the factors a of symmetry k on the geometry's fields
  std::vector<std::string> names;
  std::string problem;  // why none could be looked for

  int count() const { return static_cast<int>(fields.cols()); }
};

// Symmetries in the order of their kinds: own spins, shifts, motions of the world.
Symmetries find_symmetries(const System& system, const State& state, Workspace& workspace);

// The points at which they are asked for: the state, and others of the manifold near it.
std::vector<State> symmetry_samples(const System& system, const State& state, Workspace& workspace);

}  // namespace cartan::analysis
