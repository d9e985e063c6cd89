// Tree mechanisms with state (q, v[, work]): the System behind the formulations that solve for
// joint accelerations (recursive, moving-frame). They differ in one function.
#pragma once

#include <functional>

#include "mechanics/forces/dry_friction.h"
#include "mechanics/machine/mechanism_system.h"
#include "mechanics/machine/rate_code.h"

namespace cartan::mechanics {

// Where every body is free (absolute_system.h): what cannot be found from the model alone.
struct AbsoluteBodies {
  std::vector<bool> product;  // per body: state on SO(3) x R3 instead of SE(3)
  State start;                // with the mode
  std::function<std::vector<int>(StateView)> choose_rows;  // 1 for rows that are independent
};

struct TreeFormulation {
  const char* name;
  AccelerationSolver<double> solve;
  AccelerationSolver<Dual4> solve_dual;
  AccelerationSolver<Pack4> solve_pack;
  const AbsoluteBodies* absolute = nullptr;  // must outlive the system
  std::shared_ptr<RateCompiler> compiler{};  // given: rates and their Jacobian come from its code
};

std::unique_ptr<MechanicalSystem> make_tree_system(const Model& model,
                                                   std::vector<double> parameters,
                                                   const TreeFormulation& formulation);

}  // namespace cartan::mechanics
