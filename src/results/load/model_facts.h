// What `check` finds out about a mechanism.
#pragma once

#include "mechanics/machine/mechanism_system.h"

namespace cartan::results {

struct ModelFacts {
  int speeds = 0;  // of the tree
  ConstraintReport constraints;
  AssemblyReport assembly;
  double position_violation = 0, velocity_violation = 0;  // after the assembly
  double mass = 0;
  Vec3<double> com;        // common centre of mass, at the start
  Vec3<double> principal;  // moments about it, ascending
};

// A mechanism that cannot be assembled or moved is refused.
ModelFacts collect_facts(const Model& model);

}  // namespace cartan::results
