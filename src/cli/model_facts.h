// What `check` finds out about a mechanism.
#pragma once

#include <string>

#include "core/vec3.h"
#include "model/model.h"

namespace cartan {

struct ModelFacts {
  int speeds = 0;       // of the tree
  bool closed = false;  // loops or constraints
  double mass = 0;
  bool placed = false;       // the initial configuration is known, and so are the next two
  Vec3<double> com;          // common centre of mass
  Vec3<double> principal;    // moments about it, ascending
  std::string not_runnable;  // why a closed system cannot be simulated, or ""
};

// False after a complaint on stderr: a tree whose equations cannot be formed.
bool collect_facts(const Model& model, ModelFacts& facts);

}  // namespace cartan
