// Values of expressions at a point of real numbers, with a bound of their error: the check beside
// exact arithmetic, and the decision `zero up to rounding`.
#pragma once

#include <span>
#include <vector>

#include "symbolic/needed.h"

namespace cartan::symbolic {

class RealPoint {
 public:
  // The symbol k (in the order made) has the value at[k]. Numbers that are not whole have the
  // relative error number_error; functions known by name are some smooth function of their
  // arguments, one for each name.
  RealPoint(const ExpressionGraph& graph, std::span<const double> at, double number_error);

  void evaluate(std::span<const int> nodes);  // ascending and complete
  long double value(int node) const { return values_[node].value; }
  // First-order bound of the error: that of the numbers and of the arithmetic.
  long double error(int node) const { return values_[node].error; }

 private:
  struct Value {
    long double value, error;
  };
  Value evaluate_node(int i) const;
  Value function(const Instruction& x) const;

  const ExpressionGraph& graph_;
  std::span<const double> at_;
  double number_error_;
  PerNode<Value> values_;
};

}  // namespace cartan::symbolic
