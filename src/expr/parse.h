// From the text of an expression to its syntax tree.
//
//   comparison = sum [('<' | '>' | '<=' | '>=') sum]     only as the condition of if(c, a, b)
//   sum        = product {('+' | '-') product}
//   product    = unary {('*' | '/') unary}
//   unary      = {'-' | '+'} power
//   power      = primary ['^' unary]                     -x^2 = -(x^2), 2^-1 = 0.5, 2^3^2 = 2^9
//   primary    = number | 'pi' | name ['[' digits [',' digit] ']'] | function '(' arguments ')'
//              | '(' comparison ')'
//   equation   = sum '=' sum                            only in `equations`, where x' is a rate
//   name       = segment {'.' segment}; a segment is an identifier or anything in single quotes
// table(FILE, COLUMN, sum [, BETWEEN [, OUTSIDE]]) takes texts in double or single quotes; the last
// two are names of table_function.h. distance(a, b) and angle(a, b, c) take names of points.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expr/user_functions.h"

namespace cartan::expr {

// The index of body.R[i,j] is this + 3 i + j.
inline constexpr int first_matrix_entry = 2'000'000;

// A parsed expression whose names are not resolved yet.
using Syntax = std::shared_ptr<const SyntaxTree>;

struct ExpressionError {
  int offset = 0;  // character of the text, from 0
  std::string message;
};

// Parses; on failure returns null and fills `error`.
Syntax parse_expression(std::string_view text, ExpressionError& error,
                        const UserFunctions* functions = nullptr);

// left = right, as the expression left - right. Names with a prime are rates: names_in and the
// resolver of the compiler see "x'".
Syntax parse_equation(std::string_view text, ExpressionError& error,
                      const UserFunctions* functions = nullptr);

// The names a tree mentions, as written without quotes and index ("pivot.q"), each once, in the
// order of their first use.
std::vector<std::string> names_in(const Syntax& tree);

// The functions of [functions] that a tree calls, each once.
std::vector<std::string> calls_in(const Syntax& tree);

// The functions of the language itself, alphabetically.
std::vector<std::string> function_names();

}  // namespace cartan::expr
