// Programs of model files evaluated over expressions: their formulas become part of the graph.
#include "symbolic/expression.h"

namespace cartan {

static Expression table_value(const std::shared_ptr<const Spline>& spline, int order,
                              const Expression& x) {
  return apply_table(spline, order, x);
}

namespace program_detail {

static bool is_zero(const Expression& x) {
  return x.is_number() && x.number() == 0;
}

}  // namespace program_detail
}  // namespace cartan

#include "expr/evaluate_impl.h"

namespace cartan {

template void evaluate<Expression>(const Program&, std::span<const Expression>,
                                   std::span<Expression>, std::span<Expression>);
template Expression evaluate_gradient<Expression>(const Program&, int, std::span<const Expression>,
                                                  std::span<Expression>, std::span<Expression>,
                                                  std::span<Expression>);

}  // namespace cartan
