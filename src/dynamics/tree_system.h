// Tree mechanisms with state (q, v[, work]): the System behind the formulations that solve for
// joint accelerations (recursive, moving-frame). They differ in one function.
#pragma once

#include "dynamics/friction.h"
#include "dynamics/mechanism_system.h"

namespace cartan {

struct TreeFormulation {
  const char* name;
  AccelerationSolver<double> solve;
  AccelerationSolver<Dual4> solve_dual;
  AccelerationSolver<Pack4> solve_pack;
};

std::unique_ptr<MechanicalSystem> make_tree_system(const Model& model,
                                                   std::vector<double> parameters,
                                                   const TreeFormulation& formulation);

}  // namespace cartan
