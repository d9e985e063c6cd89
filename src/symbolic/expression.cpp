#include "symbolic/expression.h"

#include <cassert>

#include "symbolic/operations.h"

namespace cartan::symbolic {
namespace {

// The graph the operands share; null when all are numbers.
ExpressionGraph* common_graph(const Expression& x, const Expression& y) {
  assert(!x.graph() || !y.graph() || x.graph() == y.graph());
  return x.graph() ? x.graph() : y.graph();
}

}  // namespace

Expression::Expression(ExpressionGraph& graph, int node) {
  if (graph.is_number(node)) {
    number_ = graph.number(node);
    return;
  }
  graph_ = &graph;
  node_ = node;
}

int Expression::node_in(ExpressionGraph& graph) const {
  assert(!graph_ || graph_ == &graph);
  return graph_ ? node_ : graph.make_number(number_);
}

Expression apply(Op op, const Expression& x) {
  if (x.is_number()) return value_of_operation(op, x.number(), 0);
  return {*x.graph(), x.graph()->make(op, x.node())};
}

Expression apply(Op op, const Expression& x, const Expression& y) {
  ExpressionGraph* const graph = common_graph(x, y);
  if (!graph) return value_of_operation(op, x.number(), y.number());
  return {*graph, graph->make(op, x.node_in(*graph), y.node_in(*graph))};
}

Expression apply_table(const std::shared_ptr<const TableFunction>& table, int order,
                       const Expression& x) {
  if (x.is_number()) return table->derivative(order, x.number());
  return {*x.graph(), x.graph()->make_table(table, order, x.node())};
}

Expression operator+(const Expression& x, const Expression& y) {
  return apply(Op::add, x, y);
}
Expression operator-(const Expression& x, const Expression& y) {
  return apply(Op::subtract, x, y);
}
Expression operator*(const Expression& x, const Expression& y) {
  return apply(Op::multiply, x, y);
}
Expression operator/(const Expression& x, const Expression& y) {
  return apply(Op::divide, x, y);
}
Expression operator-(const Expression& x) {
  return apply(Op::negate, x);
}

Expression select(const ExpressionCondition& condition, const Expression& x, const Expression& y) {
  const Expression& margin = condition.margin;
  if (margin.is_number()) return margin.number() > 0 ? x : y;
  if (identical(x, y)) return x;
  ExpressionGraph& graph = *margin.graph();
  return {graph, graph.make(Op::if_positive, margin.node(), x.node_in(graph), y.node_in(graph))};
}

}  // namespace cartan::symbolic
