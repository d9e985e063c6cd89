// What the instructions of a program read.
#pragma once

#include <vector>

#include "expr/functions.h"
#include "expr/program.h"

namespace cartan::expr {

template <class Visit>
void visit_operands(const Program& program, const Instruction& i, Visit&& visit) {
  if (i.op == Op::constant || i.op == Op::input) return;
  if (i.op == Op::call) {
    for (int k = 0; k < i.c; ++k) visit(program.arguments[i.b + k]);
  } else if (is_table(i.op)) {
    visit(i.b);
  } else {
    const int operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < operand_count(i.op); ++k) visit(operands[k]);
  }
}

// Per instruction: whether it depends on more than parameters.
inline std::vector<char> moving_instructions(const Program& program) {
  std::vector<char> moves;
  for (const Instruction& i : program.code) {
    char moved = i.op == Op::input && program.inputs[i.a].quantity != Quantity::parameter;
    visit_operands(program, i, [&](int k) { moved |= moves[k]; });
    moves.push_back(moved);
  }
  return moves;
}

}  // namespace cartan::expr
