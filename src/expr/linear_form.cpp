#include "expr/linear_form.h"

#include <algorithm>

#include "expr/functions.h"
#include "expr/program_builder.h"

namespace cartan {
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

std::optional<LinearForm> linear_form(const Program& residuals, std::span<const Symbol> unknowns) {
  LinearForm form;
  ProgramBuilder builder;
  std::vector<int> outputs;
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    const std::vector<int> column =
        copy_at_zero(differentiate(residuals, unknowns[j]), unknowns, builder);
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (builder.is_constant(column[i], 0)) continue;
      form.row.push_back(static_cast<int>(i));
      form.column.push_back(static_cast<int>(j));
      outputs.push_back(column[i]);
    }
  }
  for (const int output : copy_at_zero(residuals, unknowns, builder))
    outputs.push_back(builder.negate(output));
  std::vector<FoldProblem> problems;
  form.program = builder.finish(outputs, &problems);
  if (!problems.empty()) return std::nullopt;
  return form;
}

}  // namespace cartan
