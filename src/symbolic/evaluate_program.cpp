// Programs of model files evaluated over expressions: their formulas become part of the graph.
#include "symbolic/expression.h"
#include "symbolic/simplify/is_zero.h"

namespace cartan::symbolic {

static Expression table_value(const std::shared_ptr<const TableFunction>& table, int order,
                              const Expression& x) {
  return apply_table(table, order, x);
}

// A number where all arguments are numbers, else a call in their graph.
static Expression call_value(const FunctionCode& function, int order, const Expression* x) {
  double samples[most_arguments];
  ExpressionGraph* graph = nullptr;
  for (int k = 0; k < function.arguments(); ++k) {
    samples[k] = x[k].sample();
    if (!x[k].is_number()) graph = x[k].graph();
  }
  const double sample = function.value(order, samples);
  if (!graph || order < 0) return sample;
  std::vector<int> arguments;
  for (int k = 0; k < function.arguments(); ++k) arguments.push_back(x[k].node_in(*graph));
  int called = graph->function_named(function.declaration().name);
  for (const int argument : function.order(order).by)
    called = graph->derivative_function(called, argument);
  return graph->make_call(called, arguments, sample);
}

}  // namespace cartan::symbolic

#include "expr/evaluate_impl.h"

template void cartan::expr::evaluate<cartan::symbolic::Expression>(
    const Program&, std::span<const symbolic::Expression>, std::span<symbolic::Expression>,
    std::span<symbolic::Expression>);
template cartan::symbolic::Expression cartan::expr::evaluate_gradient<cartan::symbolic::Expression>(
    const Program&, int, std::span<const symbolic::Expression>, std::span<symbolic::Expression>,
    std::span<symbolic::Expression>, std::span<symbolic::Expression>);
