// `equations` of a [variables] file: linear in the rates, as many as there are rates to find.
#include "expr/linear_form.h"
#include "model/check/check_context.h"
#include "symbolic/expression.h"
#include "symbolic/simplify/zero.h"

namespace cartan {
namespace {

// The values of a program over symbols of a graph, one for each of its inputs.
std::vector<Expression> values_of(const Program& program, ExpressionGraph& graph,
                                  const CheckContext& check) {
  std::vector<Expression> inputs, scratch(program.scratch_size()), outputs(program.outputs.size());
  for (const Symbol& symbol : program.inputs) {
    const bool is_parameter = symbol.quantity == Quantity::parameter;
    const std::string name =
        std::to_string(static_cast<int>(symbol.quantity)) + "_" + std::to_string(symbol.index);
    inputs.push_back(graph.symbol(name, is_parameter ? check.parameters[symbol.index] : 0.3));
  }
  evaluate<Expression>(program, inputs, scratch, outputs);
  return outputs;
}

// Whether residual = A u - b identically, equation by equation.
std::vector<bool> which_are_linear(const Program& residuals, const LinearForm& form,
                                   std::span<const Symbol> unknowns, const CheckContext& check) {
  ExpressionGraph graph;
  const std::vector<Expression> entries = values_of(form.program, graph, check);
  std::vector<Expression> rates, sums(residuals.outputs.size());
  for (const Symbol& symbol : unknowns)
    rates.push_back(graph.symbol(
        std::to_string(static_cast<int>(symbol.quantity)) + "_" + std::to_string(symbol.index),
        0.3));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = -entries[form.row.size() + i];
  for (std::size_t k = 0; k < form.row.size(); ++k)
    sums[form.row[k]] += entries[k] * rates[form.column[k]];
  const std::vector<Expression> given = values_of(residuals, graph, check);
  std::vector<Expression> differences;
  for (std::size_t i = 0; i < sums.size(); ++i) differences.push_back(given[i] - sums[i]);
  std::vector<bool> linear = which_are_identically_zero(graph, differences);
  for (std::size_t i = 0; i < sums.size(); ++i)
    linear[i] = linear[i] || are_equal_to_rounding(graph, given[i], sums[i]);
  return linear;
}

class EquationCheck {
 public:
  explicit EquationCheck(CheckContext& check) : check_(check), text_(check.text.equations) {}

  void run() {
    if (!find_unknowns() || text_.empty()) return;
    std::vector<Syntax> trees;
    for (const Value& value : text_) trees.push_back(check_.formulas.parse_equation(value));
    const Formula residuals = check_.formulas.compile_parsed(trees, text_, Scope::equations);
    if (!residuals.given() || check_.problems.has_errors()) return;
    std::vector<Symbol> rates;
    for (std::size_t j = 0; j < check_.text.variables.size(); ++j)
      rates.push_back({Quantity::variable_rate, static_cast<int>(j), 0});
    std::optional<LinearForm> form = linear_form(residuals.program, rates);
    if (!is_linear(residuals.program, form, rates)) return;
    ImplicitRates made;
    made.form.program = std::move(form->program);
    made.form.texts = residuals.texts;
    made.form.where = residuals.where;
    made.row = std::move(form->row);
    made.column = std::move(form->column);
    made.unknowns = unknowns_;
    for (const Value& value : text_) made.where.push_back(value.where);
    if (find_blocks(made)) check_.model.implicit = std::move(made);
  }

 private:
  void complain(Location place, const std::string& message) {
    check_.problems.error(place, message);
  }

  bool find_unknowns() {
    const std::vector<VariableText>& variables = check_.text.variables;
    for (std::size_t j = 0; j < variables.size(); ++j)
      if (!variables[j].rate) unknowns_.push_back(static_cast<int>(j));
    if (text_.empty()) {
      if (text_.where.line > 0) return false;  // reported
      for (const int j : unknowns_) complain(variables[j].table_where, "missing key 'rate'");
      return unknowns_.empty();
    }
    if (variables.empty()) {
      complain(text_.where, "`equations` are for the rates of [variables], and there are none");
      return false;
    }
    if (unknowns_.size() == text_.size()) return true;
    complain(text_.where, "there are " + std::to_string(text_.size()) + " equations for " +
                              std::to_string(unknowns_.size()) +
                              " variables without a rate of their own; expected as many");
    return false;
  }

  bool is_linear(const Program& residuals, const std::optional<LinearForm>& form,
                 std::span<const Symbol> rates) {
    std::vector<bool> linear(text_.size(), false);
    if (form) linear = which_are_linear(residuals, *form, rates, check_);
    bool all = true;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (linear[i]) continue;
      all = false;
      complain(text_[i].where, "in '" + text_[i].text +
                                   "': rates must enter linearly, each times something without "
                                   "rates; solve the equation for them, or give what is not "
                                   "linear a variable of its own");
    }
    return all;
  }

  bool find_blocks(ImplicitRates& made) {
    std::vector<int> place(check_.text.variables.size(), -1), row, column;
    for (int k = 0; k < made.size(); ++k) place[made.unknowns[k]] = k;
    for (std::size_t k = 0; k < made.row.size(); ++k) {
      if (place[made.column[k]] < 0) continue;
      row.push_back(made.row[k]);
      column.push_back(place[made.column[k]]);
    }
    BlockOrder order = order_blocks(made.size(), row, column);
    made.blocks = std::move(order.blocks);
    if (order.left_rows.empty()) return true;
    complain(text_[order.left_rows[0]].where,
             "the equations do not determine the rates, whatever the numbers are: '" +
                 text_[order.left_rows[0]].text + "' leaves no rate of its own to it, and " +
                 check_.text.variables[made.unknowns[order.left_columns[0]]].name +
                 "' has no equation; bring " +
                 check_.text.variables[made.unknowns[order.left_columns[0]]].name +
                 "' into one of them");
    return false;
  }

  CheckContext& check_;
  const Values& text_;
  std::vector<int> unknowns_;
};

}  // namespace

void check_equations(CheckContext& check) {
  EquationCheck(check).run();
}

}  // namespace cartan
