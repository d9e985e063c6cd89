// From syntax trees to one program, names resolved by whoever knows the model.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/parse.h"
#include "expr/program.h"

namespace cartan::expr {

// What a name stands for: a symbol, a number, or another expression (a definition).
struct Meaning {
  std::optional<Symbol> symbol;
  std::optional<double> number;
  Syntax definition;  // to be compiled in place
  std::string
      problem;  // when none of these: why, with the remedy ("unknown name 'x'; did you mean 'y'?")
};
// `index` is -1 when the name carries no [i].
using Resolver = std::function<Meaning(const std::string& name, int index)>;
// table("file", "column", ..., rule) as written.
struct TableText {
  std::string file, column;
  TableRule rule;
};
// Gives the table, or null and a problem.
using TableReader = std::function<std::shared_ptr<const TableFunction>(const TableText& text,
                                                                       std::string& problem)>;

struct CompileError {
  int tree = 0;
  int offset = 0;
  std::string message;
};

// Compiles several trees into one program with one output each. Equal subexpressions become one
// instruction, constants are folded, what no output needs is left out. Problems are added to
// `errors` with the index of the tree; those inside a definition are told once, at its first use. A
// null tree (its parse error has been told) gives the output 0. With errors the program is
// well-formed but useless.
Program compile(std::span<const Syntax> trees, const Resolver& resolve, const TableReader& tables,
                std::vector<CompileError>& errors, const UserFunctions* functions = nullptr);

}  // namespace cartan::expr
