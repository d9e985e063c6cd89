// How a language writes an expression. The defaults are those of C, which most languages share.
#pragma once

#include <string>
#include <vector>

#include "expr/program.h"

namespace cartan::codegen {

// How tightly a text binds: an operand that binds less than its place asks for gets parentheses.
enum class Binding { sum, product, atom };

struct Written {
  std::string text;
  Binding binding = Binding::atom;
};

class Dialect {
 public:
  virtual ~Dialect() = default;

  // The shortest text that reads back as the same number; no sign.
  virtual std::string number(double magnitude) const;
  // Entry of an argument; a scalar has entry -1.
  virtual std::string symbol(int argument, int entry) const = 0;
  // Temporary of a listing.
  virtual std::string temporary(int number) const = 0;
  // sin .. if_positive, without + - * /; binds as an atom.
  virtual std::string function(Op op, const std::vector<std::string>& operands) const = 0;
  // Derivative `order` of a table of the graph.
  virtual std::string table(int table, int order, const std::string& x) const = 0;
  // Entry of an array that a block has been solved into.
  virtual std::string solution(int array, int entry) const = 0;
  // A function known by name only.
  virtual std::string call(const std::string& name,
                           const std::vector<std::string>& arguments) const;

  // Whether a sum with a product is written as one operation, rounded once, and how: x y + z, with
  // a sign before the product or before z.
  virtual bool fuses() const { return false; }
  virtual std::string fused(const std::string& x, const std::string& y, const std::string& z,
                            bool minus_product, bool minus_z) const;

  virtual Written product(const Written& x, const Written& y) const;
  virtual Written quotient(const Written& x, const Written& y) const;
  virtual std::string in_parentheses(const std::string& text) const { return "(" + text + ")"; }

  std::string at_least(const Written& x, Binding binding) const {
    return x.binding < binding ? in_parentheses(x.text) : x.text;
  }
};

std::string joined(const std::vector<std::string>& words, const std::string& between);
// sin -> "sin", abs -> "fabs": the names of <math.h>; null for operations it does not have.
const char* c_function_name(Op op);

}  // namespace cartan::codegen
