// A linear system, worked out as far as that can be done before the numbers are known.
#pragma once

#include "codegen/prepared_function.h"

namespace cartan::codegen {

// Adds what is left to solve by loops to the blocks and arrays of the function. `result`: the array
// that gets the solution; -1: none, the solution is only returned, entry by entry (numbers of loops
// as symbols, see PreparedFunction::solutions).
std::vector<Expression> solve_system(ExpressionGraph& graph, const LinearSolve& solve, int result,
                                     PreparedFunction& function);

}  // namespace cartan::codegen
