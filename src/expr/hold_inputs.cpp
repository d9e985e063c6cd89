#include "expr/hold_inputs.h"

#include "expr/functions.h"
#include "expr/program_builder.h"

namespace cartan::expr {

Program hold_inputs(const Program& program,
                    const std::function<std::optional<double>(const Symbol&)>& value) {
  ProgramBuilder builder;
  std::vector<int> made;  // per instruction of the program
  const auto copy = [&](const Instruction& i) {
    if (i.op == Op::constant) return builder.constant(program.constants[i.a]);
    if (i.op == Op::input) {
      const std::optional<double> number = value(program.inputs[i.a]);
      return number ? builder.constant(*number) : builder.input(program.inputs[i.a]);
    }
    if (is_table(i.op)) return builder.table(program.tables[i.a], table_order(i.op), made[i.b]);
    if (i.op == Op::call) {
      std::vector<int> arguments;
      for (int k = 0; k < i.c; ++k) arguments.push_back(made[program.arguments[i.b + k]]);
      return builder.call(program.functions[i.a], arguments);
    }
    const int count = operand_count(i.op);
    return builder.make(i.op, made[i.a], count > 1 ? made[i.b] : 0, count > 2 ? made[i.c] : 0);
  };
  for (const Instruction& i : program.code) made.push_back(copy(i));
  std::vector<int> outputs;
  for (int output : program.outputs) outputs.push_back(made[output]);
  return builder.finish(outputs);
}

bool varies_with_time(const Program& program, std::span<const double> parameters) {
  if (!program.depends_on(Quantity::time)) return false;
  const Program held = hold_inputs(program, [&](const Symbol& symbol) {
    return symbol.quantity == Quantity::parameter ? std::optional(parameters[symbol.index])
                                                  : std::nullopt;
  });
  return held.depends_on(Quantity::time);
}

}  // namespace cartan::expr
