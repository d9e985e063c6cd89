// An order for things that use each other (parameters, definitions).
#pragma once

#include <vector>

#include "core/folders.h"

namespace cartan::model {

struct DependencyOrder {
  std::vector<int> order;  // each after all it uses, as near to the given order as can be
  std::vector<std::vector<int>> cycles;  // each a chain whose last uses its first
};

// uses[i]: what i uses.
DependencyOrder order_by_dependencies(const std::vector<std::vector<int>>& uses);

}  // namespace cartan::model
