// Facts about the operations of expr/program.h.
#pragma once

#include "expr/functions.h"
#include "expr/program.h"

namespace cartan::symbolic {

// The operands of a node that are nodes themselves, in order, except those of a call.
template <class Visit>
void for_each_operand(const Instruction& i, Visit&& visit) {
  if (i.op == Op::constant || i.op == Op::input || i.op == Op::call) return;
  if (is_table(i.op)) return visit(i.b);
  visit(i.a);
  const int count = operand_count(i.op);
  if (count > 1) visit(i.b);
  if (count > 2) visit(i.c);
}

// x op y in numbers; y is ignored where the operation takes one operand.
double value_of_operation(Op op, double x, double y);

}  // namespace cartan::symbolic
