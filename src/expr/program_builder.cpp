#include "expr/program_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "expr/evaluate_impl.h"
#include "expr/functions.h"

namespace cartan::expr {
namespace {

// Beyond this a library call is cheaper and more accurate than the chain of products.
constexpr int largest_multiplied_power = 8;

constexpr std::string_view too_large = "the result is too large for double precision (1e308)";

template <class Datum>
int index_of(std::vector<Datum>& list, const Datum& datum) {
  const auto found = std::find(list.begin(), list.end(), datum);
  if (found != list.end()) return static_cast<int>(found - list.begin());
  list.push_back(datum);
  return static_cast<int>(list.size()) - 1;
}

std::string_view why_not_finite(Op op, double a, double b) {
  switch (op) {
    case Op::divide:
      if (b == 0) return "division by zero";
      break;
    case Op::sqrt:
      return "sqrt of a negative number";
    case Op::log:
      return a == 0 ? "log of zero" : "log of a negative number";
    case Op::asin:
      return "asin of a number outside -1..1";
    case Op::acos:
      return "acos of a number outside -1..1";
    case Op::power:
      if (a == 0) return "zero to a negative power";
      if (a < 0 && b != std::floor(b)) return "a negative number to a fractional power";
      break;
    default:
      break;
  }
  return too_large;
}

std::span<const int> arguments_of(const Program& program, const Instruction& call) {
  return std::span<const int>(program.arguments).subspan(call.b, call.c);
}

// The instruction with its operands renumbered.
Instruction renumbered(Instruction i, const std::vector<int>& number) {
  const int operands = operand_count(i.op);
  if (i.op == Op::call) return i;  // its list is renumbered
  if (is_table(i.op)) {
    i.b = number[i.b];
    return i;
  }
  if (operands > 0) i.a = number[i.a];
  if (operands > 1) i.b = number[i.b];
  if (operands > 2) i.c = number[i.c];
  return i;
}

void mark_operands(const Program& program, const Instruction& i, std::vector<bool>& live) {
  const int operands = operand_count(i.op);
  if (i.op == Op::call) {
    for (const int k : arguments_of(program, i)) live[k] = true;
    return;
  }
  if (is_table(i.op)) {
    live[i.b] = true;
    return;
  }
  if (operands > 0) live[i.a] = true;
  if (operands > 1) live[i.b] = true;
  if (operands > 2) live[i.c] = true;
}

std::vector<bool> live_instructions(const Program& program, const std::vector<int>& outputs) {
  std::vector<bool> live(program.code.size());
  for (int output : outputs) live[output] = true;
  for (std::size_t i = program.code.size(); i-- > 0;)
    if (live[i]) mark_operands(program, program.code[i], live);
  return live;
}

}  // namespace

std::size_t ProgramBuilder::InstructionHash::operator()(const Instruction& i) const {
  std::uint64_t h = static_cast<std::uint64_t>(i.op);
  for (int operand : {i.a, i.b, i.c}) {
    h = (h ^ static_cast<std::uint64_t>(operand)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return static_cast<std::size_t>(h);
}

int ProgramBuilder::place_instruction(const Instruction& instruction) {
  const int next = static_cast<int>(program_.code.size());
  const auto [entry, is_new] = known_.try_emplace(instruction, next);
  if (is_new) {
    finite_.push_back(is_finite_everywhere(instruction));
    program_.code.push_back(instruction);
  }
  return entry->second;
}

bool ProgramBuilder::is_finite_everywhere(const Instruction& i) const {
  switch (i.op) {
    case Op::constant:
    case Op::input:
      return true;
    case Op::divide:
      return finite_[i.a] && is_constant(i.b) && constant_at(i.b) != 0;
    case Op::power:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::log:
    case Op::sqrt:
    case Op::call:
      return false;
    case Op::if_positive:
      return finite_[i.a] && finite_[i.b] && finite_[i.c];
    default:
      break;
  }
  if (is_table(i.op)) return finite_[i.b] && program_.tables[i.a]->outside() != Outside::error;
  return finite_[i.a] && (operand_count(i.op) < 2 || finite_[i.b]);
}

int ProgramBuilder::constant(double value) {
  const int next = static_cast<int>(program_.constants.size());
  const auto [entry, is_new] =
      known_constants_.try_emplace(std::bit_cast<std::uint64_t>(value), next);
  if (is_new) program_.constants.push_back(value);
  return place_instruction({Op::constant, entry->second});
}

int ProgramBuilder::input(const Symbol& symbol) {
  return place_instruction({Op::input, index_of(program_.inputs, symbol)});
}

int ProgramBuilder::table(const std::shared_ptr<const TableFunction>& table, int order,
                          int argument) {
  if (order > 3) return constant(0);
  const Instruction instruction{table_of_order(order), index_of(program_.tables, table), argument};
  if (!is_constant(argument)) return place_instruction(instruction);
  const double x = constant_at(argument);
  const bool outside = table->outside() == Outside::error && !table->covers(x);
  return folded(instruction, table->derivative(order, x),
                outside ? table->explain_outside(x) : std::string(too_large));
}

int ProgramBuilder::call(const CalledFunction& function, const std::vector<int>& arguments) {
  const auto [list, is_new] =
      known_arguments_.try_emplace(arguments, static_cast<int>(program_.arguments.size()));
  if (is_new)
    program_.arguments.insert(program_.arguments.end(), arguments.begin(), arguments.end());
  const Instruction instruction{Op::call, index_of(program_.functions, function), list->second,
                                static_cast<int>(arguments.size())};
  if (!function.code->has(function.order)) return place_instruction(instruction);
  std::vector<double> values;
  for (const int k : arguments) {
    if (!is_constant(k)) return place_instruction(instruction);
    values.push_back(constant_at(k));
  }
  return folded(instruction, function.code->value(function.order, values.data()),
                "the function '" + function.code->name_of(function.order) +
                    "' does not give a finite number here");
}

int ProgramBuilder::make(Op op, int a, int b, int c) {
  if (const auto simpler = simplify(op, a, b, c)) return *simpler;
  // Sums and products do not depend on the order of two operands: one order, one instruction.
  if ((op == Op::add || op == Op::multiply) && a > b) std::swap(a, b);
  const Instruction instruction{op, a, b, c};
  if (const auto folded = fold(instruction)) return *folded;
  return place_instruction(instruction);
}

std::optional<int> ProgramBuilder::fold(const Instruction& instruction) {
  const int operands[] = {instruction.a, instruction.b, instruction.c};
  double values[3] = {0, 0, 0};
  const int count = operand_count(instruction.op);
  for (int k = 0; k < count; ++k) {
    if (!is_constant(operands[k])) return std::nullopt;
    values[k] = constant_at(operands[k]);
  }
  const double result = program_detail::value_of_instruction<double>(
      program_, {instruction.op, 0, 1, 2}, nullptr, values);
  return folded(instruction, result, why_not_finite(instruction.op, values[0], values[1]));
}

int ProgramBuilder::folded(const Instruction& instruction, double result,
                           std::string_view if_not_finite) {
  if (std::isfinite(result)) return constant(result);
  const int kept = place_instruction(instruction);
  problems_.push_back({kept, place_, std::string(if_not_finite)});
  return kept;
}

// ---------------------------------------------------------------------------------------- algebra

std::optional<int> ProgramBuilder::simplify(Op op, int a, int b, int c) {
  switch (op) {
    case Op::add:
      return simplify_sum(a, b);
    case Op::subtract:
      return simplify_difference(a, b);
    case Op::multiply:
      return simplify_product(a, b);
    case Op::divide:
      if (is_constant(b, 1)) return a;
      if (is_constant(b, -1)) return negate(a);
      return std::nullopt;
    case Op::negate:
      if (program_.code[a].op == Op::negate) return program_.code[a].a;
      return std::nullopt;
    case Op::power:
      return simplify_power(a, b);
    case Op::min:
    case Op::max:
      if (a == b) return a;
      return std::nullopt;
    case Op::if_positive:
      if (is_constant(a)) return constant_at(a) > 0 ? b : c;
      if (b == c) return b;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<int> ProgramBuilder::simplify_sum(int a, int b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (program_.code[b].op == Op::negate) return subtract(a, program_.code[b].a);
  if (program_.code[a].op == Op::negate) return subtract(b, program_.code[a].a);
  return std::nullopt;
}

std::optional<int> ProgramBuilder::simplify_difference(int a, int b) {
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return negate(b);
  if (a == b && finite_[a]) return constant(0);
  if (program_.code[b].op == Op::negate) return add(a, program_.code[b].a);
  return std::nullopt;
}

std::optional<int> ProgramBuilder::simplify_product(int a, int b) {
  if (is_constant(b)) std::swap(a, b);
  if (!is_constant(a)) return std::nullopt;
  if (is_constant(a, 1)) return b;
  if (is_constant(a, -1)) return negate(b);
  // 0 * x is 0 unless x can be infinite or undefined, which must not be hidden.
  if (is_constant(a, 0) && finite_[b]) return a;
  return std::nullopt;
}

std::optional<int> ProgramBuilder::simplify_power(int base, int exponent) {
  if (!is_constant(exponent) || is_constant(base)) return std::nullopt;
  const double n = constant_at(exponent);
  if (n != std::floor(n) || std::fabs(n) > largest_multiplied_power) return std::nullopt;
  if (n == 0) return constant(1);
  const int product = whole_power(base, static_cast<int>(std::fabs(n)));
  return n > 0 ? product : divide(constant(1), product);
}

int ProgramBuilder::whole_power(int base, int exponent) {
  std::optional<int> product;
  for (int square = base;; square = multiply(square, square)) {
    if (exponent & 1) product = product ? multiply(*product, square) : square;
    exponent >>= 1;
    if (exponent == 0) return *product;
  }
}

// ----------------------------------------------------------------------------------------- finish

Program ProgramBuilder::finish(const std::vector<int>& outputs,
                               std::vector<FoldProblem>* problems) {
  const std::vector<bool> live = live_instructions(program_, outputs);
  Program result;
  std::vector<int> number(program_.code.size(), -1);
  for (std::size_t i = 0; i < program_.code.size(); ++i) {
    if (!live[i]) continue;
    Instruction instruction = renumbered(program_.code[i], number);
    const int datum = instruction.a;
    if (instruction.op == Op::constant) {
      instruction.a = static_cast<int>(result.constants.size());
      result.constants.push_back(program_.constants[datum]);
    } else if (instruction.op == Op::input) {
      instruction.a = static_cast<int>(result.inputs.size());
      result.inputs.push_back(program_.inputs[datum]);
    } else if (is_table(instruction.op)) {
      instruction.a = index_of(result.tables, program_.tables[datum]);
    } else if (instruction.op == Op::call) {
      instruction.a = index_of(result.functions, program_.functions[datum]);
      instruction.b = static_cast<int>(result.arguments.size());
      for (const int k : arguments_of(program_, program_.code[i]))
        result.arguments.push_back(number[k]);
    }
    number[i] = static_cast<int>(result.code.size());
    result.code.push_back(instruction);
  }
  for (int output : outputs) result.outputs.push_back(number[output]);
  if (problems)
    for (FoldProblem& problem : problems_)
      if (live[problem.instruction]) problems->push_back(std::move(problem));
  return result;
}

}  // namespace cartan::expr
