// The pieces from which printed expressions are put together.
#pragma once

#include <string>

#include "symbolic/print/print.h"
#include "symbolic/print/reading.h"

namespace cartan::symbolic {

enum class PrintStyle { text, latex };

// How tightly a piece holds together: a looser one needs brackets inside a tighter one.
enum class Level { sum, product, power, atom };

struct Piece {
  std::string text;
  Level level = Level::atom;
};

// Writes nodes; those for which name_of gives a name are written as that name. Recursive: the
// caller names nodes such that nothing is nested deeply.
class PiecePrinter {
 public:
  PiecePrinter(const ExpressionGraph& graph, PrintStyle style, NameHook names,
               std::function<int(int)> rank, std::function<const std::string*(int)> name_of);

  // The node written out, even when it has a name.
  std::string definition(int node) const;
  std::string number(double x) const;

 private:
  bool is_latex() const { return style_ == PrintStyle::latex; }
  Piece piece(int node) const;
  Piece looked_into(int node) const;
  Piece sum(const std::vector<Monomial>& terms) const;
  Piece monomial(Monomial m) const;
  Piece factor(const Factor& factor, bool flipped) const;
  Piece power(const Piece& base, const std::string& exponent) const;
  Piece number_piece(double x) const;
  Piece function(int node) const;
  Piece latex_function(Op op, const std::vector<Piece>& arguments) const;
  Piece named_function(const std::string& name, const std::vector<Piece>& arguments) const;
  Piece branch(int node) const;
  bool can_be_flipped(int node) const;
  std::string in_brackets(const std::string& text) const;
  std::string at_least(const Piece& piece, Level level) const;
  Piece product(const std::vector<Piece>& factors) const;
  Piece quotient(const std::vector<Piece>& above, const std::vector<Piece>& below) const;

  const ExpressionGraph& graph_;
  PrintStyle style_;
  NameHook names_;
  std::function<const std::string*(int)> name_of_;
  Reader reader_;
};

}  // namespace cartan::symbolic
