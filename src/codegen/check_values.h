// What generated code must give at the sample values: it carries them as a check of itself.
#pragma once

#include <vector>

#include "codegen/unit_plan.h"

namespace cartan::codegen {

std::vector<OutputCheck> check_values(const ExpressionGraph& graph,
                                      const PreparedFunction& function);

}  // namespace cartan::codegen
