// Substitution in expressions.
#pragma once

#include <span>
#include <vector>

#include "symbolic/expression.h"

namespace cartan::symbolic {

// `values` with symbols[k] replaced by by[k], all at once (what is put in is not searched again).
// Any node can stand for a symbol. Nodes that do not change stay what they are, so what was shared
// stays shared; the others are normalised anew. One sweep.
std::vector<Expression> substitute(ExpressionGraph& graph, std::span<const Expression> values,
                                   std::span<const Expression> symbols,
                                   std::span<const Expression> by);
Expression substitute(ExpressionGraph& graph, const Expression& value,
                      std::span<const Expression> symbols, std::span<const Expression> by);

// The node i with other operands: place(operand) for each of them.
template <class Place>
int rebuilt(ExpressionGraph& graph, int i, Place&& place);

}  // namespace cartan::symbolic

#include "symbolic/substitute_impl.h"
