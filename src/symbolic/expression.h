// The symbolic scalar: physics written over a scalar S, run with S = Expression, leaves its
// equations in an ExpressionGraph.
//
// An Expression is a plain number or a node of a graph; a number joins the graph of what it is
// combined with. Two expressions of different graphs cannot be combined (a defect of the program,
// asserted). `value_of` is the value at the sample point.
#pragma once

#include "symbolic/graph.h"

namespace cartan::symbolic {

class Expression {
 public:
  Expression() = default;
  Expression(double value) : number_(value) {}  // implicit on purpose, as for double
  Expression(ExpressionGraph& graph, int node);

  bool is_number() const { return graph_ == nullptr; }
  double number() const { return number_; }          // when it is one
  ExpressionGraph* graph() const { return graph_; }  // null for a number
  int node() const { return node_; }                 // when it is none
  // The node in `graph`, made when it is a number.
  int node_in(ExpressionGraph& graph) const;
  double sample() const { return is_number() ? number_ : graph_->sample(node_); }

  // The same node, or the same number.
  friend bool identical(const Expression& x, const Expression& y) {
    if (x.graph_ != y.graph_) return false;
    return x.graph_ ? x.node_ == y.node_ : x.number_ == y.number_;
  }

  Expression& operator+=(const Expression& o) { return *this = *this + o; }
  Expression& operator-=(const Expression& o) { return *this = *this - o; }
  Expression& operator*=(const Expression& o) { return *this = *this * o; }
  Expression& operator/=(const Expression& o) { return *this = *this / o; }
  friend Expression operator+(const Expression& x, const Expression& y);
  friend Expression operator-(const Expression& x, const Expression& y);
  friend Expression operator*(const Expression& x, const Expression& y);
  friend Expression operator/(const Expression& x, const Expression& y);
  friend Expression operator-(const Expression& x);

 private:
  ExpressionGraph* graph_ = nullptr;
  int node_ = 0;
  double number_ = 0;
};

// Any operation of expr/program.h on expressions.
Expression apply(Op op, const Expression& x);
Expression apply(Op op, const Expression& x, const Expression& y);
// `order`-th derivative of a table.
Expression apply_table(const std::shared_ptr<const TableFunction>& table, int order,
                       const Expression& x);

// In this folder too they stand beside those of numbers (core/scalar.h).
// clang-format off
using core::sin, core::cos, core::tan, core::asin, core::acos, core::atan, core::sinh, core::cosh, core::tanh;
using core::exp, core::log, core::sqrt, core::abs, core::sign, core::step, core::atan2, core::pow, core::min, core::max;
using core::sincos, core::less, core::select, core::value_of;
inline Expression sin(const Expression& x) { return apply(Op::sin, x); }
inline Expression cos(const Expression& x) { return apply(Op::cos, x); }
inline Expression tan(const Expression& x) { return apply(Op::tan, x); }
inline Expression asin(const Expression& x) { return apply(Op::asin, x); }
inline Expression acos(const Expression& x) { return apply(Op::acos, x); }
inline Expression atan(const Expression& x) { return apply(Op::atan, x); }
inline Expression sinh(const Expression& x) { return apply(Op::sinh, x); }
inline Expression cosh(const Expression& x) { return apply(Op::cosh, x); }
inline Expression tanh(const Expression& x) { return apply(Op::tanh, x); }
inline Expression exp(const Expression& x) { return apply(Op::exp, x); }
inline Expression log(const Expression& x) { return apply(Op::log, x); }
inline Expression sqrt(const Expression& x) { return apply(Op::sqrt, x); }
inline Expression abs(const Expression& x) { return apply(Op::abs, x); }
inline Expression sign(const Expression& x) { return apply(Op::sign, x); }
inline Expression step(const Expression& x) { return apply(Op::step, x); }
inline Expression atan2(const Expression& y, const Expression& x) { return apply(Op::atan2, y, x); }
inline Expression pow(const Expression& x, const Expression& y) { return apply(Op::power, x, y); }
inline Expression min(const Expression& x, const Expression& y) { return apply(Op::min, x, y); }
inline Expression max(const Expression& x, const Expression& y) { return apply(Op::max, x, y); }
// clang-format on
inline void sincos(const Expression& x, Expression& s, Expression& c) {
  s = sin(x);
  c = cos(x);
}

// a < b, decided where the expression is evaluated: select makes an Op::if_positive of it.
struct ExpressionCondition {
  Expression margin;  // b - a: positive where it holds
};
inline ExpressionCondition less(const Expression& a, const Expression& b) {
  return {b - a};
}
Expression select(const ExpressionCondition& condition, const Expression& x, const Expression& y);

inline double value_of(const Expression& x) {
  return x.sample();
}

// The scalars for which physics is instantiated that can also be derived symbolically.
#define CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(apply) \
  CARTAN_FOR_EACH_SCALAR(apply) apply(::cartan::symbolic::Expression)

}  // namespace cartan::symbolic
