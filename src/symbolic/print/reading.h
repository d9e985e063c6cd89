// Expressions as they are read: sums of terms, terms as products of powers.
//
// The graph holds binary sums and products with signs and numbers pulled out. For printing, nested
// sums and products are joined, x * x becomes x^2, a product with a reciprocal becomes a quotient,
// and both are put into an order that does not depend on when their parts were made: symbols in the
// order of their ranks (sums of products of symbols beside them), then functions, then sums.
#pragma once

#include <functional>
#include <vector>

#include "symbolic/expression.h"

namespace cartan::symbolic {

struct Factor {
  int node = 0;
  int power = 1;  // never 0
};

struct Monomial {
  double coefficient = 1;
  std::vector<Factor> factors;  // distinct nodes, in order
};

class Reader {
 public:
  // is_named(node): the node has a name of its own and is not looked into. rank(symbol): where it
  // stands in products; by default the order in which the symbols were made.
  Reader(const ExpressionGraph& graph, std::function<bool(int)> is_named = {},
         std::function<int(int)> rank = {});

  bool is_sum(int node) const;
  // The terms of a node that is a sum, else the node as one term. The node itself is looked into
  // even when it has a name.
  std::vector<Monomial> terms(int node) const;

 private:
  struct Key {
    int kind, first, second;
    auto operator<=>(const Key&) const = default;
  };
  bool is_named(int node) const { return is_named_ && is_named_(node); }
  Key key(int node) const;
  int first_symbol(int sum) const;
  Monomial monomial(int node, int root) const;
  void sort(std::vector<Factor>& factors) const;
  bool comes_before(const Monomial& x, const Monomial& y) const;

  const ExpressionGraph& graph_;
  std::function<bool(int)> is_named_;
  std::function<int(int)> rank_;
};

}  // namespace cartan::symbolic
