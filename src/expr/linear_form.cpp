#include "expr/linear_form.h"

#include <algorithm>

#include "expr/functions.h"
#include "expr/program_builder.h"

namespace cartan::expr {
namespace {

// The outputs of a program, written into another with zeros for the unknowns.
std::vector<int> copy_at_zero(const Program& program, std::span<const Symbol> unknowns,
                              ProgramBuilder& builder) {
  std::vector<int> made;
  for (const Instruction& i : program.code) {
    const auto at = [&](int k) { return made[k]; };
    if (i.op == Op::constant) {
      made.push_back(builder.constant(program.constants[i.a]));
    } else if (i.op == Op::input) {
      const Symbol& symbol = program.inputs[i.a];
      const bool unknown = std::find(unknowns.begin(), unknowns.end(), symbol) != unknowns.end();
      made.push_back(unknown ? builder.constant(0) : builder.input(symbol));
    } else if (is_table(i.op)) {
      made.push_back(builder.table(program.tables[i.a], table_order(i.op), at(i.b)));
    } else if (i.op == Op::call) {
      std::vector<int> arguments;
      for (int k = 0; k < i.c; ++k) arguments.push_back(at(program.arguments[i.b + k]));
      made.push_back(builder.call(program.functions[i.a], arguments));
    } else {
      const int operands = operand_count(i.op);
      made.push_back(
          builder.make(i.op, at(i.a), operands > 1 ? at(i.b) : 0, operands > 2 ? at(i.c) : 0));
    }
  }
  std::vector<int> outputs;
  for (const int output : program.outputs) outputs.push_back(made[output]);
  return outputs;
}

}  // namespace

namespace {

// Entries of A column by column, then b, as outputs of one program.
struct FormBuilder {
  ProgramBuilder builder;
  LinearForm form;
  std::vector<int> outputs;

  void add_column(int j, const std::vector<int>& column, const std::vector<bool>& rows) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (!rows[i] || builder.is_constant(column[i], 0)) continue;
      form.row.push_back(static_cast<int>(i));
      form.column.push_back(j);
      outputs.push_back(column[i]);
    }
  }
  std::optional<LinearForm> finish(const std::vector<int>& right) {
    for (const int output : right) outputs.push_back(builder.negate(output));
    std::vector<FoldProblem> problems;
    form.program = builder.finish(outputs, &problems);
    if (!problems.empty()) return std::nullopt;
    return std::move(form);
  }
};

}  // namespace

std::optional<LinearForm> linear_form(const Program& residuals, std::span<const Symbol> unknowns) {
  FormBuilder made;
  const std::vector<bool> all(residuals.outputs.size(), true);
  for (std::size_t j = 0; j < unknowns.size(); ++j)
    made.add_column(static_cast<int>(j),
                    copy_at_zero(differentiate(residuals, unknowns[j]), unknowns, made.builder),
                    all);
  return made.finish(copy_at_zero(residuals, unknowns, made.builder));
}

std::optional<LinearForm> linear_form_of_rates(const Program& residuals,
                                               std::span<const Symbol> rates,
                                               std::span<const Symbol> states,
                                               std::vector<int>& differentiated) {
  FormBuilder made;
  const std::size_t rows = residuals.outputs.size();
  for (std::size_t j = 0; j < rates.size(); ++j)
    made.add_column(static_cast<int>(j),
                    copy_at_zero(differentiate(residuals, rates[j]), rates, made.builder),
                    std::vector<bool>(rows, true));
  std::vector<bool> without(rows, true);
  for (const int row : made.form.row) without[row] = false;
  for (std::size_t i = 0; i < rows; ++i)
    if (without[i]) differentiated.push_back(static_cast<int>(i));
  for (std::size_t j = 0; j < states.size() && !differentiated.empty(); ++j)
    made.add_column(static_cast<int>(j),
                    copy_at_zero(differentiate(residuals, states[j]), rates, made.builder),
                    without);
  std::vector<int> right = copy_at_zero(residuals, rates, made.builder);
  const std::vector<int> by_time =
      copy_at_zero(differentiate(residuals, Symbol{Quantity::time, 0, 0}), rates, made.builder);
  for (const int i : differentiated) right[i] = by_time[i];
  return made.finish(right);
}

}  // namespace cartan::expr
