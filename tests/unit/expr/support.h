// What the tests of expressions share: a small set of names and short ways from text to value.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "expr/expression.h"

namespace cartan::test::expr_test {

inline const Symbol symbol_t{Quantity::time};
inline const Symbol symbol_x{Quantity::variable, 0};
inline const Symbol symbol_y{Quantity::variable, 1};
inline const Symbol symbol_z{Quantity::variable, 2};
inline const std::vector<Symbol> all_symbols{symbol_t, symbol_x, symbol_y, symbol_z};

inline Syntax parsed(const std::string& text) {
  ExpressionError error;
  Syntax tree = parse_expression(text, error);
  EXPECT_TRUE(tree) << text << ": " << error.offset << ": " << error.message;
  return tree;
}

using Definitions = std::map<std::string, std::string>;

// Names t, x, y, z, pivot.q[i]; the given definitions; nothing else.
class Names {
 public:
  explicit Names(const Definitions& definitions = {}) {
    for (const auto& [name, text] : definitions) definitions_[name] = parsed(text);
  }
  Meaning operator()(const std::string& name, int index) const {
    Meaning meaning;
    if (name == "t") meaning.symbol = symbol_t;
    if (name == "x") meaning.symbol = symbol_x;
    if (name == "y") meaning.symbol = symbol_y;
    if (name == "z") meaning.symbol = symbol_z;
    if (name == "pivot.q" && index >= 0) meaning.symbol = Symbol{Quantity::joint_q, 0, index};
    if (name == "zero") meaning.number = 0;
    if (name == "infinite") meaning.number = std::numeric_limits<double>::infinity();
    if (const auto found = definitions_.find(name); found != definitions_.end())
      meaning.definition = found->second;
    if (!meaning.symbol && !meaning.number && !meaning.definition)
      meaning.problem = "unknown name '" + name + "'";
    return meaning;
  }

 private:
  std::map<std::string, Syntax> definitions_;
};

inline std::shared_ptr<const TableFunction> sine_table() {
  static const auto table = [] {
    std::vector<double> x, y;
    for (int k = -12; k <= 12; ++k) {
      x.push_back(0.25 * k + 0.01 * (k % 3));
      y.push_back(std::sin(x.back()));
    }
    return std::make_shared<const TableFunction>(x, y, Interpolation::spline, Outside::extrapolate);
  }();
  return table;
}

inline std::shared_ptr<const TableFunction> read_table(const TableText& text,
                                                       std::string& problem) {
  if (text.file == "sine.csv" && text.column == "y") return sine_table();
  problem = "no column '" + text.column + "' in '" + text.file + "'";
  return nullptr;
}

struct Compiled {
  Program program;
  std::vector<CompileError> errors;
};

inline Compiled compile_texts(const std::vector<std::string>& texts, const Names& names = Names()) {
  std::vector<Syntax> trees;
  for (const std::string& text : texts) trees.push_back(parsed(text));
  Compiled result;
  result.program = compile(trees, names, read_table, result.errors);
  return result;
}

inline Program program_of(const std::string& text, const Names& names = Names()) {
  const Compiled compiled = compile_texts({text}, names);
  for (const CompileError& error : compiled.errors)
    ADD_FAILURE() << text << ": " << error.offset << ": " << error.message;
  return compiled.program;
}

// Values of t, x, y, z put in the order a program asks for them.
template <class S>
std::vector<S> inputs_of(const Program& program, const std::vector<S>& txyz) {
  std::vector<S> inputs;
  for (const Symbol& symbol : program.inputs)
    inputs.push_back(symbol.quantity == Quantity::time ? txyz[0] : txyz[1 + symbol.index]);
  return inputs;
}

template <class S>
S value_at(const Program& program, const std::vector<S>& txyz, int output = 0) {
  const std::vector<S> inputs = inputs_of(program, txyz);
  std::vector<S> scratch(program.scratch_size()), outputs(program.outputs.size());
  evaluate<S>(program, inputs, scratch, outputs);
  return outputs[output];
}

// The gradient with respect to t, x, y, z.
template <class S>
std::vector<S> gradient_at(const Program& program, const std::vector<S>& txyz, S* value = nullptr) {
  const std::vector<S> inputs = inputs_of(program, txyz);
  std::vector<S> scratch(program.scratch_size()), adjoints(program.scratch_size());
  std::vector<S> gradient(program.inputs.size());
  const S result = evaluate_gradient<S>(program, 0, inputs, scratch, adjoints, gradient);
  if (value) *value = result;
  std::vector<S> all(4, S(0));
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    const Symbol& symbol = program.inputs[k];
    all[symbol.quantity == Quantity::time ? 0 : 1 + symbol.index] = gradient[k];
  }
  return all;
}

inline double value_of_text(const std::string& text, double x = 0, double y = 0) {
  return value_at<double>(program_of(text), {0, x, y, 0});
}

// t, x, y, z as four directions of differentiation.
inline std::vector<Dual4> as_variables(const std::vector<double>& txyz) {
  std::vector<Dual4> variables;
  for (int k = 0; k < 4; ++k) variables.push_back(Dual4::variable(txyz[k], k));
  return variables;
}

}  // namespace cartan::test::expr_test
