// The partial derivatives of one node with respect to its operands: what forward and reverse
// differentiation share.
#pragma once

#include "symbolic/needed.h"

namespace cartan::symbolic {

// A node whose derivative is that of one operand or another: min, max, if.
inline bool is_branch(Op op) {
  return op == Op::min || op == Op::max || op == Op::if_positive;
}

// A branch takes `yes` where condition > 0, else `no`. Its derivative is that of the operand it
// takes; no derivative of the other may enter, not even as 0 times infinity.
struct BranchNodes {
  int condition, yes, no;
};
BranchNodes branch_of(ExpressionGraph& graph, int node);

// d f / d operand for a function f of one operand with value f = `value`, as a node; -1: zero. At
// kinks as in expr/program.h: sqrt'(0) = 0, abs'(0) = 0, sign' = step' = 0.
int slope_of_function(ExpressionGraph& graph, Op op, int operand, int value);

// Visits (operand, partial derivative as a node) for every operand of a node that is no branch; an
// operand that occurs twice is visited twice. `wanted(operand)` says for which to form it.
template <class Wanted, class Visit>
void for_each_partial(ExpressionGraph& graph, int i, Wanted&& wanted, Visit&& visit);

}  // namespace cartan::symbolic

#include "symbolic/partials_impl.h"
