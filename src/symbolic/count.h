// How many operations expressions take.
#pragma once

#include <span>
#include <string>

#include "symbolic/expression.h"

namespace cartan::symbolic {

// Differences count as additions; a factor -1 is a sign and counts nothing. Functions: sin, sqrt,
// powers, tables, calls, and also min, max, if.
struct OperationCount {
  long additions = 0, multiplications = 0, divisions = 0, functions = 0;
  long total() const;  // saturates at the largest long
};

// Every node once.
OperationCount count_shared(const ExpressionGraph& graph, std::span<const Expression> values);

// As if every expression were written out without intermediate results: a number that can be
// astronomical (2^n for n squarings); it saturates at the largest long. O(nodes).
OperationCount count_unshared(const ExpressionGraph& graph, std::span<const Expression> values);
// Their total as a number that does not saturate before 1e308; exact up to 2^53.
double total_unshared(const ExpressionGraph& graph, std::span<const Expression> values);
// "54", "1.3e+45", "> 1e308"
std::string operations_text(double total);

}  // namespace cartan::symbolic
