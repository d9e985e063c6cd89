// Facts about the operations of expr/program.h.
#pragma once

#include "expr/program.h"

namespace cartan {

// Of every operation but constant, input, table and call: how many operands it takes.
inline int operand_count(Op op) {
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::atan2:
    case Op::min:
    case Op::max:
      return 2;
    case Op::if_positive:
      return 3;
    default:
      return 1;
  }
}

inline bool is_table(Op op) {
  return op >= Op::table && op <= Op::table_jerk;
}
inline int table_order_of(Op op) {
  return static_cast<int>(op) - static_cast<int>(Op::table);
}

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

}  // namespace cartan
