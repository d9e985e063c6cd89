#include "model/program_use.h"

#include "expr/functions.h"

namespace cartan::model {
namespace {

template <class Visit>
void for_each_operand(const Program& program, const Instruction& i, Visit&& visit) {
  if (i.op == Op::constant || i.op == Op::input) return;
  if (i.op == Op::call)
    for (int k = 0; k < i.c; ++k) visit(program.arguments[i.b + k]);
  else if (is_table(i.op))
    visit(i.b);
  else {
    const int operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < operand_count(i.op); ++k) visit(operands[k]);
  }
}

}  // namespace

std::vector<char> moving_instructions(const Program& program) {
  std::vector<char> moves;
  for (const Instruction& i : program.code) {
    char moved = i.op == Op::input && program.inputs[i.a].quantity != Quantity::parameter;
    for_each_operand(program, i, [&](int k) { moved |= moves[k]; });
    moves.push_back(moved);
  }
  return moves;
}

std::size_t find_output(const Program& program, int instruction) {
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    std::vector<char> needed(program.code.size(), 0);
    needed[program.outputs[k]] = 1;
    for (int i = program.outputs[k]; i >= 0; --i)
      if (needed[i])
        for_each_operand(program, program.code[i], [&](int operand) { needed[operand] = 1; });
    if (needed[instruction]) return k;
  }
  return 0;
}

}  // namespace cartan::model
