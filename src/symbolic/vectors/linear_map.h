// Expressions that are linear in some symbols: y = A x + rest, as velocities are in the speeds.
//
// A is never formed. Where an expression depends on x, its graph is made of sums, and of products
// and quotients with what does not depend on x; those nodes are a program for A x, and read
// backwards one for A^T y. Either costs as many operations as the expressions themselves, so that a
// projection on n partial velocities costs what the velocities cost, not n times as much.
#pragma once

#include <span>
#include <vector>

#include "symbolic/expression.h"

namespace cartan::symbolic {

class LinearMap {
 public:
  LinearMap(ExpressionGraph& graph, std::span<const Expression> values,
            std::span<const Expression> symbols);

  // The first value that is not linear in the symbols; -1: all are.
  int nonlinear_value() const { return nonlinear_; }
  int rows() const { return static_cast<int>(values_.size()); }
  int columns() const { return columns_; }

  std::vector<Expression> apply(std::span<const Expression> x) const;
  std::vector<Expression> column(int symbol) const;
  // A^T y; only the entries of symbols `first` and later, the others are zero.
  std::vector<Expression> apply_transposed(std::span<const Expression> y, int first = 0) const;
  // The values where all symbols are zero.
  std::vector<Expression> rest() const;

 private:
  // A node that depends on the symbols; a, b: places in the tape, -1: an operand that does not.
  struct Step {
    enum Kind { symbol, sum, product, quotient, other } kind = other;
    int a = -1, b = -1;
    Expression constant;  // the operand that does not depend on the symbols
    int last = 0;         // largest symbol it depends on
  };
  Step make_step(int node, const std::vector<int>& place) const;
  std::vector<Expression> sweep(std::vector<Expression> tape, bool with_constants) const;

  ExpressionGraph* graph_;
  int columns_ = 0;
  int nonlinear_ = -1;
  std::vector<Step> tape_;  // the symbols first
  struct Value {
    int place;            // in the tape; -1: does not depend on the symbols
    Expression constant;  // then
  };
  std::vector<Value> values_;
};

}  // namespace cartan::symbolic
