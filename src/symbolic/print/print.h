// Expressions as text and as LaTeX.
//
// Text is in the language of model files (expr/parse.h) and reads back as the same value, splines
// and functions known by name only apart. Numbers are written with the fewest digits that read
// back, or as fractions and multiples of pi where they are that (number_text.h). Sums and products
// are put in the order of reading.h.
//
// What would be long is written as a sequence of named intermediate results,
//   z1 = ...,  z2 = ... z1 ...,  value = ... z2 ...
// so the size of the text grows with the number of nodes, whatever is shared.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace cartan::symbolic {

// From the name of a symbol or function to how it is written.
using NameHook = std::function<std::string(const std::string&)>;

struct PrintOptions {
  NameHook names;                  // default: text as it is, LaTeX by latex_name
  std::function<int(int)> rank;    // of a symbol: its place in products; default: the order made
  std::string intermediate = "z";  // z1, z2, ...
  int written_out = 400;           // up to so many operations, shared or not, nothing is named
  int worth = 3;                   // beyond: a shared expression of so many operations gets a name,
  int longest = 120;               // and any that has more than this
  int deepest = 40;                // or is nested more deeply than this
};

struct PrintedLine {
  std::string name, text;
};
struct Printed {
  std::vector<PrintedLine> lines;   // intermediate results, each before it is used
  std::vector<std::string> values;  // one per expression
};

Printed print_text(const ExpressionGraph& graph, std::span<const Expression> values,
                   const PrintOptions& options = {});
Printed print_latex(const ExpressionGraph& graph, std::span<const Expression> values,
                    const PrintOptions& options = {});

// One expression; where it needs intermediate results, lines `z1 = ...` before it.
std::string to_text(const ExpressionGraph& graph, const Expression& value);
std::string to_latex(const ExpressionGraph& graph, const Expression& value,
                     const NameHook& names = {});

// theta1 -> \theta_{1}, m_rod -> m_{\mathrm{rod}}, pivot.q[0] -> q_{\mathrm{pivot},0},
// q1' -> \dot{q}_{1}
std::string latex_name(const std::string& name);

}  // namespace cartan::symbolic
