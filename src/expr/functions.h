// The functions of the expression language: one row each.
#pragma once

#include <span>
#include <string_view>

#include "expr/program.h"

namespace cartan::expr {

struct FunctionRow {
  std::string_view name;
  Op op;
  int arguments;  // how many it takes
  bool or_more;   // min and max: applied from left to right
  std::string_view usage;
};

// Alphabetical. table("file", "column", x, ...) has its own syntax and is not in the list.
std::span<const FunctionRow> all_functions();
const FunctionRow* find_function(std::string_view name);

// Functions made of others when an expression is compiled; `op` says nothing.
//   deg(x)     x degrees in radians          rpm(x)  x turns a minute in rad/s
//   floor(x)   the next whole number down    round(x) = floor(x + 1/2)    mod(x, y) = x - y
//   floor(x/y)
std::span<const FunctionRow> composed_functions();
const FunctionRow* find_composed_function(std::string_view name);

// How many earlier instructions the operation reads.
inline int operand_count(Op op) {
  switch (op) {
    case Op::constant:
    case Op::input:
      return 0;
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
  return op == Op::table || op == Op::table_slope || op == Op::table_curvature ||
         op == Op::table_jerk;
}

// Which derivative of its table an operation gives, and the operation that gives derivative
// `order` (at most 3: the next one is zero).
inline int table_order(Op op) {
  return static_cast<int>(op) - static_cast<int>(Op::table);
}
inline Op table_of_order(int order) {
  return static_cast<Op>(static_cast<int>(Op::table) + order);
}

}  // namespace cartan::expr
