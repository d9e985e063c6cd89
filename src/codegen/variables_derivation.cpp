// What is derived of [variables] files with equations, and of functions of the user.
#include <limits>

#include "codegen/derivation.h"

namespace cartan::codegen {

ImplicitForm Derivation::implicit_form() {
  const ImplicitRates& implicit = *model_.implicit;
  ImplicitForm form;
  form.size = implicit.size();
  std::vector<int> place(model_.variables.size(), -1);
  for (int k = 0; k < form.size; ++k) place[implicit.unknowns[k]] = k;
  for (std::size_t i = 0; i < model_.variables.size(); ++i) {
    if (place[i] < 0) {
      form.rates.push_back(evaluate_formula(model_.variables[i].rate));
      continue;
    }
    form.rates.push_back(graph_.symbol(model_.variables[i].name + "'"));
    form.unknowns.push_back(form.rates.back());
  }
  const std::vector<Expression> values = evaluate_formulas(implicit.form);
  form.A.assign(static_cast<std::size_t>(form.size) * form.size, Expression(0));
  form.b.assign(values.begin() + static_cast<long>(implicit.row.size()), values.end());
  for (std::size_t k = 0; k < implicit.row.size(); ++k) {
    const int i = implicit.row[k], j = place[implicit.column[k]];
    if (j >= 0)
      form.A[static_cast<std::size_t>(i) * form.size + j] = values[k];
    else
      form.b[i] -= values[k] * form.rates[implicit.column[k]];
  }
  if (model_.algebraic) form.constraints = evaluate_formulas(model_.algebraic->residuals);
  return form;
}

// Where the code of functions is known it gives the samples of their calls.
void Derivation::sample_functions() {
  if (model_.functions.list().empty()) return;
  graph_.set_call_sampler(
      [this](const ExpressionGraph::Function& called, std::span<const double> x) {
        const UserFunction* function = model_.functions.find(graph_.function_name(called.base));
        if (!function || !function->code) return std::numeric_limits<double>::quiet_NaN();
        return function->code->value(function->code->find(called.by), x.data());
      });
}

}  // namespace cartan::codegen
