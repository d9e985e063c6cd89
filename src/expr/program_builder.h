// Builds a Program instruction by instruction: equal instructions become one, constants are folded,
// trivial algebra is done, and what no output needs is left out at the end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expr/program.h"

namespace cartan::expr {

// Where in the texts the instruction being made comes from. The builder only hands it on.
struct TextPlace {
  int tree = 0;
  int offset = 0;
  int definition = -1;
};

// A constant operation without a finite result, such as 1/0. It is left in the program unfolded.
struct FoldProblem {
  int instruction = 0;
  TextPlace place;
  std::string message;
};

class ProgramBuilder {
 public:
  int constant(double value);
  int input(const Symbol& symbol);
  int table(const std::shared_ptr<const TableFunction>& table, int order, int argument);
  int call(const CalledFunction& function, const std::vector<int>& arguments);
  // Any other operation; unused operands stay 0.
  int make(Op op, int a, int b = 0, int c = 0);

  int add(int a, int b) { return make(Op::add, a, b); }
  int subtract(int a, int b) { return make(Op::subtract, a, b); }
  int multiply(int a, int b) { return make(Op::multiply, a, b); }
  int divide(int a, int b) { return make(Op::divide, a, b); }
  int negate(int a) { return make(Op::negate, a); }

  int size() const { return static_cast<int>(program_.code.size()); }
  bool is_constant(int i) const { return program_.code[i].op == Op::constant; }
  bool is_constant(int i, double value) const { return is_constant(i) && constant_at(i) == value; }
  double constant_at(int i) const { return program_.constants[program_.code[i].a]; }

  void set_place(const TextPlace& place) { place_ = place; }

  // The program with these outputs; `problems` gets those that concern an output. The builder is
  // spent.
  Program finish(const std::vector<int>& outputs, std::vector<FoldProblem>* problems = nullptr);

 private:
  struct InstructionHash {
    std::size_t operator()(const Instruction& i) const;
  };

  int place_instruction(const Instruction& instruction);
  bool is_finite_everywhere(const Instruction& instruction) const;
  // The constant an instruction comes to, if all its operands are constants.
  std::optional<int> fold(const Instruction& instruction);
  int folded(const Instruction& instruction, double result, std::string_view if_not_finite);
  // Each returns an instruction with the same value as `op` of the operands, if there is a simpler
  // one.
  std::optional<int> simplify(Op op, int a, int b, int c);
  std::optional<int> simplify_sum(int a, int b);
  std::optional<int> simplify_difference(int a, int b);
  std::optional<int> simplify_product(int a, int b);
  std::optional<int> simplify_power(int base, int exponent);
  int whole_power(int base, int exponent);

  Program program_;
  std::vector<bool> finite_;  // per instruction: finite for all finite inputs, overflow apart
  std::unordered_map<Instruction, int, InstructionHash> known_;
  std::unordered_map<std::uint64_t, int> known_constants_;  // by bit pattern
  std::map<std::vector<int>, int> known_arguments_;         // where a list stands
  std::vector<FoldProblem> problems_;
  TextPlace place_;
};

}  // namespace cartan::expr
