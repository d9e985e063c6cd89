#include "symbolic/partials.h"

namespace cartan::symbolic {

BranchNodes branch_of(ExpressionGraph& graph, int node) {
  const Instruction x = graph.node(node);
  switch (x.op) {
    case Op::min:
      return {graph.make(Op::subtract, x.a, x.b), x.b, x.a};
    case Op::max:
      return {graph.make(Op::subtract, x.b, x.a), x.b, x.a};
    default:
      return {x.a, x.b, x.c};
  }
}

int slope_of_function(ExpressionGraph& graph, Op op, int operand, int value) {
  const Expression x(graph, operand), v(graph, value);
  const auto node = [&](const Expression& slope) { return slope.node_in(graph); };
  switch (op) {
    case Op::sin:
      return node(cos(x));
    case Op::cos:
      return node(-sin(x));
    case Op::tan:
      return node(1 + v * v);
    case Op::asin:
      return node(1 / sqrt((1 - x) * (1 + x)));
    case Op::acos:
      return node(-1 / sqrt((1 - x) * (1 + x)));
    case Op::atan:
      return node(1 / (1 + x * x));
    case Op::sinh:
      return node(cosh(x));
    case Op::cosh:
      return node(sinh(x));
    case Op::tanh:
      return node(1 / (cosh(x) * cosh(x)));
    case Op::exp:
      return value;
    case Op::log:
      return node(1 / x);
    case Op::sqrt:
      return node(select(less(0, v), 0.5 / v, 0));
    case Op::abs:
      return node(sign(x));
    default:
      return -1;  // sign, step
  }
}

namespace partials_detail {

// y x^(y - 1); at x = 0 it is infinite for y < 1 and taken as zero.
int power_by_base(ExpressionGraph& graph, int base, int exponent) {
  const Expression x(graph, base), y(graph, exponent);
  const Expression slope = y * pow(x, y - 1);
  if (y.is_number() && y.number() >= 1) return slope.node_in(graph);
  return select(less(0, abs(x)), slope, select(less(y, 1), 0, slope)).node_in(graph);
}

// x^y log x; for x <= 0 the exponent must be a constant, so nothing is lost.
int power_by_exponent(ExpressionGraph& graph, int base, int value) {
  const Expression x(graph, base), v(graph, value);
  return select(less(0, x), v * log(x), 0).node_in(graph);
}

}  // namespace partials_detail
}  // namespace cartan::symbolic
