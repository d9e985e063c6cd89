// Expressions as C in the two ways source 004 compares (tables 6.1 and 6.2).
#pragma once

#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace cartan::reproduction {

// void equations(const double* x, double* y): symbols by number in x, values in y; + - * / sin cos
// sqrt and choices only. written_out: every expression in full, in several functions where they are
// long (a compiler then looks for common parts within each of these); otherwise one line for each
// node.
std::string write_equations(const ExpressionGraph& graph, const std::vector<Expression>& values,
                            bool written_out);

}  // namespace cartan::reproduction
