// Sums in the order in which their terms become known.
//
// A processor works on several operations at once, but an operation waits for its operands. In
// recursions along a chain of links it waits most of the time: what counts is the longest path from
// the arguments to a result. A sum of several terms is made of the earliest two first, again and
// again, so that the term which comes last waits for one operation only. Sums that are used once
// are parts of the sum that uses them. The number of operations stays; the results change in
// rounding.
#pragma once

#include "codegen/prepared_function.h"

namespace cartan::codegen {

void shorten_paths(ExpressionGraph& graph, PreparedFunction& function);

// Cycles from the arguments to the last of the values, where nothing else has to be waited for;
// sines and cosines of arguments are there.
int calc_longest_path(const std::vector<Expression>& values);

}  // namespace cartan::codegen
