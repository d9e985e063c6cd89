// `equations` of a [variables] file: linear in the rates, as many as there are rates to find.
//
// Equations without rates, g(t, x) = 0, decide variables z whose rates no equation has
// (semi-explicit, index 1: g_z is regular). With dg/dt = 0 in their place the rates of z follow
// like all others, and g = 0 is what states are held to (mechanics/variables). Where no such z is
// left to a g, dg/dt = 0 restricts the other variables too: a hidden constraint, refused.
#include <algorithm>

#include "expr/expression.h"
#include "expr/linear_form.h"
#include "model/check/check_context.h"
#include "symbolic/differentiate.h"
#include "symbolic/expression.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/zero.h"

namespace cartan::model {
namespace {

std::string code_of(const Symbol& symbol) {
  return std::to_string(static_cast<int>(symbol.quantity)) + "_" + std::to_string(symbol.index) +
         "_" + std::to_string(symbol.component);
}

// The values of a program over symbols of a graph, one for each of its inputs.
std::vector<Expression> values_of(const Program& program, ExpressionGraph& graph,
                                  const CheckContext& check) {
  std::vector<Expression> inputs, scratch(program.scratch_size()), outputs(program.outputs.size());
  for (const Symbol& symbol : program.inputs) {
    const bool is_parameter = symbol.quantity == Quantity::parameter;
    inputs.push_back(
        graph.symbol(code_of(symbol), is_parameter ? check.parameters[symbol.index] : 0.3));
  }
  evaluate<Expression>(program, inputs, scratch, outputs);
  return outputs;
}

// The values of a program over symbols named as in the file.
std::vector<Expression> named_values(const Program& program, ExpressionGraph& graph,
                                     const CheckContext& check) {
  std::vector<Expression> inputs, scratch(program.scratch_size()), outputs(program.outputs.size());
  for (const Symbol& symbol : program.inputs) {
    if (symbol.quantity == Quantity::parameter)
      inputs.push_back(graph.symbol(check.names.parameter_names()[symbol.index],
                                    check.parameters[symbol.index]));
    else if (symbol.quantity == Quantity::time)
      inputs.push_back(graph.symbol("t", 0.3));
    else
      inputs.push_back(graph.symbol(check.text.variables[symbol.index].name +
                                        (symbol.quantity == Quantity::variable_rate ? "'" : ""),
                                    0.3));
  }
  evaluate<Expression>(program, inputs, scratch, outputs);
  return outputs;
}

// dg/dt of equation `row` as text, rates by their formulas where they have one.
std::string hidden_constraint(const Program& residuals, int row, const CheckContext& check) {
  ExpressionGraph graph;
  const Expression g = named_values(residuals, graph, check)[row];
  std::vector<Expression> states = {graph.symbol("t", 0.3)}, rates = {Expression(1)};
  for (std::size_t j = 0; j < check.text.variables.size(); ++j) {
    const std::string& name = check.text.variables[j].name;
    states.push_back(graph.symbol(name, 0.3));
    const Formula& rate = check.model.variables[j].rate;
    rates.push_back(rate.given() ? named_values(rate.program, graph, check)[0]
                                 : graph.symbol(name + "'", 0.3));
  }
  const Expression slope =
      total_time_derivative(graph, std::vector<Expression>{g}, states, rates)[0];
  return to_text(graph, slope) + " = 0";
}

// Whether residual = A u - b identically, equation by equation.
std::vector<bool> which_are_linear(const Program& residuals, const LinearForm& form,
                                   std::span<const Symbol> unknowns, const CheckContext& check) {
  ExpressionGraph graph;
  const std::vector<Expression> entries = values_of(form.program, graph, check);
  std::vector<Expression> rates, sums(residuals.outputs.size());
  for (const Symbol& symbol : unknowns) rates.push_back(graph.symbol(code_of(symbol), 0.3));
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
    AlgebraicEquations still;
    if (!find_algebraic(residuals, *form, still)) return;
    if (!still.rows.empty()) {
      std::vector<Symbol> states;
      for (std::size_t j = 0; j < rates.size(); ++j)
        states.push_back({Quantity::variable, static_cast<int>(j), 0});
      std::vector<int> differentiated;
      form = linear_form_of_rates(residuals.program, rates, states, differentiated);
      if (!form) {
        complain(text_[still.rows[0]].where, "in '" + text_[still.rows[0]].text +
                                                 "': the derivative of the equation has no finite "
                                                 "value");
        return;
      }
    }
    made.form.program = std::move(form->program);
    made.form.texts = residuals.texts;
    made.form.where = residuals.where;
    made.row = std::move(form->row);
    made.column = std::move(form->column);
    made.unknowns = unknowns_;
    for (const Value& value : text_) made.where.push_back(value.where);
    if (!find_blocks(made)) return;
    check_.model.implicit = std::move(made);
    if (!still.rows.empty()) check_.model.algebraic = std::move(still);
  }

 private:
  void complain(Location place, const std::string& message) {
    check_.problems.error(place, message);
  }

  bool find_unknowns() {
    const std::vector<VariableText>& variables = check_.text.variables;
    const auto belongs_to_force = [&](const VariableText& variable) {
      const auto deflects = [&](const ForceText& force) {
        return force.deflection.name == variable.name;
      };
      return std::any_of(check_.text.forces.begin(), check_.text.forces.end(), deflects);
    };
    for (std::size_t j = 0; j < variables.size(); ++j)
      if (!variables[j].rate && !belongs_to_force(variables[j]))
        unknowns_.push_back(static_cast<int>(j));
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

  // Equations without rates and the variables they decide.
  bool find_algebraic(const Formula& residuals, const LinearForm& form, AlgebraicEquations& made) {
    std::vector<bool> has_rates(text_.size(), false);
    std::vector<bool> is_rated(check_.text.variables.size(), false);
    for (std::size_t k = 0; k < form.row.size(); ++k)
      has_rates[form.row[k]] = is_rated[form.column[k]] = true;
    for (std::size_t i = 0; i < text_.size(); ++i)
      if (!has_rates[i]) made.rows.push_back(static_cast<int>(i));
    if (made.rows.empty()) return true;
    if (!check_.text.bodies.empty()) {
      complain(text_[made.rows[0]].where,
               "in '" + text_[made.rows[0]].text +
                   "': no rate is in it. Beside bodies such an equation would be a constraint on "
                   "the motion, whose derivative contains accelerations and so forces that may "
                   "depend on the variable: expected a rate in each of the `equations`; solve it "
                   "for its variable and write that in [definitions], or write its derivative");
      return false;
    }
    for (const int j : unknowns_)
      if (!is_rated[j]) made.decided.push_back(j);
    const std::vector<int> left = left_without_variable(residuals.program, made);
    if (left.empty()) return keep_residuals(made);
    complain(text_[left[0]].where,
             "in '" + text_[left[0]].text +
                 "': no variable is left for this equation to decide, so it has an index above 1: "
                 "its derivative is a hidden constraint, " +
                 hidden_constraint(residuals.program, left[0], check_) +
                 "; write that in place of it (and start where both hold), or solve the equation "
                 "for one of its variables");
    return false;
  }

  // Which of the algebraic equations find no variable of their own, whatever the numbers are.
  std::vector<int> left_without_variable(const Program& residuals, const AlgebraicEquations& made) {
    const int size = static_cast<int>(std::max(made.rows.size(), made.decided.size()));
    std::vector<int> row, column;
    for (std::size_t j = 0; j < made.decided.size(); ++j) {
      const Program slope = differentiate(residuals, {Quantity::variable, made.decided[j], 0});
      ExpressionGraph graph;
      const std::vector<bool> zero =
          which_are_identically_zero(graph, values_of(slope, graph, check_));
      for (std::size_t i = 0; i < made.rows.size(); ++i)
        if (!zero[made.rows[i]]) {
          row.push_back(static_cast<int>(i));
          column.push_back(static_cast<int>(j));
        }
    }
    std::vector<int> left;
    for (const int i : order_blocks(size, row, column).left_rows)
      if (i < static_cast<int>(made.rows.size())) left.push_back(made.rows[i]);
    return left;
  }

  // g by itself
  bool keep_residuals(AlgebraicEquations& made) {
    std::vector<Syntax> trees;
    Values texts;
    texts.where = text_.where;
    for (const int i : made.rows) {
      trees.push_back(check_.formulas.parse_equation(text_[i]));
      texts.push_back(text_[i]);
    }
    made.residuals = check_.formulas.compile_parsed(trees, texts, Scope::equations);
    return made.residuals.given();
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

}  // namespace cartan::model
