#include "expr/functions.h"

#include <algorithm>

namespace cartan::expr {
namespace {

constexpr FunctionRow rows[] = {
    {"abs", Op::abs, 1, false, "abs(x)"},
    {"acos", Op::acos, 1, false, "acos(x)"},
    {"asin", Op::asin, 1, false, "asin(x)"},
    {"atan", Op::atan, 1, false, "atan(x)"},
    {"atan2", Op::atan2, 2, false, "atan2(y, x)"},
    {"cos", Op::cos, 1, false, "cos(x)"},
    {"cosh", Op::cosh, 1, false, "cosh(x)"},
    {"exp", Op::exp, 1, false, "exp(x)"},
    {"if", Op::if_positive, 3, false, "if(condition, a, b)"},
    {"log", Op::log, 1, false, "log(x)"},
    {"max", Op::max, 2, true, "max(a, b, ...)"},
    {"min", Op::min, 2, true, "min(a, b, ...)"},
    {"pow", Op::power, 2, false, "pow(x, y)"},
    {"sign", Op::sign, 1, false, "sign(x)"},
    {"sin", Op::sin, 1, false, "sin(x)"},
    {"sinh", Op::sinh, 1, false, "sinh(x)"},
    {"sqrt", Op::sqrt, 1, false, "sqrt(x)"},
    {"step", Op::step, 1, false, "step(x)"},
    {"tan", Op::tan, 1, false, "tan(x)"},
    {"tanh", Op::tanh, 1, false, "tanh(x)"},
};

constexpr FunctionRow composed[] = {
    {"deg", Op::call, 1, false, "deg(x)"},    {"floor", Op::call, 1, false, "floor(x)"},
    {"mod", Op::call, 2, false, "mod(x, y)"}, {"round", Op::call, 1, false, "round(x)"},
    {"rpm", Op::call, 1, false, "rpm(x)"},
};

const FunctionRow* find_row(std::span<const FunctionRow> list, std::string_view name) {
  const auto row =
      std::find_if(list.begin(), list.end(), [&](const FunctionRow& r) { return r.name == name; });
  return row == list.end() ? nullptr : &*row;
}

}  // namespace

std::span<const FunctionRow> composed_functions() {
  return composed;
}
const FunctionRow* find_composed_function(std::string_view name) {
  return find_row(composed, name);
}
std::span<const FunctionRow> all_functions() {
  return rows;
}

const FunctionRow* find_function(std::string_view name) {
  return find_row(rows, name);
}

}  // namespace cartan::expr
