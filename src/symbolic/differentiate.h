// Exact derivatives of expressions, as expressions of the same graph.
//
// Forward: d f = sum over operands of (partial derivative) d operand, one sweep over the nodes that
// both are needed by f and depend on the variable. Reverse: the adjoint of a node is handed to its
// operands from the last node to the first, one sweep for all variables. Partial derivatives are
// nodes themselves, so the columns of a Jacobian share them.
//
// A variable is a symbol, or any other node: it is then differentiated by as if it were a symbol,
// and what it is built of does not count. At kinks (|x|, min, max, if, sqrt at zero) the
// conventions of expr/program.h hold.
#pragma once

#include <span>
#include <vector>

#include "symbolic/expression.h"

namespace cartan::symbolic {

// d value / d by of every value: one forward sweep.
std::vector<Expression> differentiate(ExpressionGraph& graph, std::span<const Expression> values,
                                      const Expression& by);
Expression differentiate(ExpressionGraph& graph, const Expression& value, const Expression& by);

// Derivatives of one value by all of `by`: one reverse sweep.
std::vector<Expression> gradient(ExpressionGraph& graph, const Expression& value,
                                 std::span<const Expression> by);

// The entries that are not zero for structural reasons, row by row, columns ascending.
struct SparseJacobian {
  int rows = 0, columns = 0;
  std::vector<int> row, column;
  std::vector<Expression> entries;
};
// Forward sweeps column by column, each over the dependent nodes only; where there are few rows and
// many columns, reverse sweeps row by row.
SparseJacobian jacobian(ExpressionGraph& graph, std::span<const Expression> values,
                        std::span<const Expression> by);

// d value / dt = sum over the states of (d value / d state) rate: one forward sweep for all states.
std::vector<Expression> total_time_derivative(ExpressionGraph& graph,
                                              std::span<const Expression> values,
                                              std::span<const Expression> states,
                                              std::span<const Expression> rates);

}  // namespace cartan::symbolic
