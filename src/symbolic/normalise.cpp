// ExpressionGraph: nodes are normalised when they are made (the rules are listed in graph.h).
#include <algorithm>
#include <cassert>
#include <cmath>

#include "symbolic/graph.h"
#include "symbolic/operations.h"

namespace cartan::symbolic {

int ExpressionGraph::make(Op op, int a, int b, int c) {
  switch (op) {
    case Op::add:
      return make_sum(a, b);
    case Op::subtract:
      return make_sum(a, scaled(-1, b));
    case Op::negate:
      return scaled(-1, a);
    case Op::multiply:
      return make_product(a, b);
    case Op::divide:
      return make_quotient(a, b);
    case Op::power:
      return make_power(a, b);
    case Op::if_positive:
      if (is_number(a)) return number(a) > 0 ? b : c;
      if (b == c) return b;
      if (const Term t = term(a); t.factor > 0) a = t.base;
      return place({op, a, b, c});
    default:
      break;
  }
  assert(op != Op::constant && op != Op::input && op != Op::call && op < Op::table);
  const int operands = operand_count(op);
  if (is_number(a) && (operands == 1 || is_number(b)))
    return make_number(value_of_operation(op, number(a), operands > 1 ? number(b) : 0));
  if (operands == 1) return simplify_function(op, a);
  if (op == Op::min || op == Op::max) {
    if (a == b) return a;
    if (a > b) std::swap(a, b);
  }
  return place({op, a, b, 0});
}

ExpressionGraph::Term ExpressionGraph::term(int i) const {
  const Instruction& x = nodes_[i];
  if (x.op == Op::multiply && is_number(x.a)) return {number(x.a), x.b};
  return {1, i};
}

// The number of a product stands in a.
int ExpressionGraph::scaled(double factor, int x) {
  if (is_number(x)) return make_number(factor * number(x));
  const Term t = term(x);
  factor *= t.factor;
  if (factor == 0) return make_number(0);
  if (factor == 1) return t.base;
  return place({Op::multiply, make_number(factor), t.base, 0});
}

bool ExpressionGraph::is_square_of(int i, Op function, int argument) const {
  const Instruction& x = nodes_[i];
  return x.op == Op::multiply && x.a == x.b && nodes_[x.a].op == function &&
         nodes_[x.a].a == argument;
}

// c sin^2 + c cos^2 = c, and what one level of nesting lets cancel; -1: nothing to be done.
int ExpressionGraph::simplify_pair(const Term& x, const Term& y) {
  const Instruction inner = nodes_[x.base];
  if (x.factor == y.factor && inner.op == Op::multiply && inner.a == inner.b) {
    const Instruction& root = nodes_[inner.a];
    if (root.op == Op::sin && is_square_of(y.base, Op::cos, root.a)) return make_number(x.factor);
    if (root.op == Op::cos && is_square_of(y.base, Op::sin, root.a)) return make_number(x.factor);
  }
  // c (p + q) + y where p or q is of y's kind
  if (inner.op == Op::add) {
    for (const auto& [one, other] : {std::pair{inner.a, inner.b}, std::pair{inner.b, inner.a}}) {
      if (is_number(one)) continue;
      const Term p = term(one);
      if (p.base == y.base && x.factor * p.factor + y.factor == 0) return scaled(x.factor, other);
    }
  }
  return -1;
}

// The number in n + x or in -(n + x); the rest goes to `rest`. Zero: there is none.
double ExpressionGraph::number_in(int i, int& rest) {
  const Term t = term(i);
  const Instruction x = nodes_[t.base];
  if ((t.factor != 1 && t.factor != -1) || x.op != Op::add || !is_number(x.a)) return 0;
  rest = scaled(t.factor, x.b);
  return t.factor * number(x.a);
}

// 1 - sin^2 = cos^2, 1 - cos^2 = sin^2; -1: it is none of these.
int ExpressionGraph::other_square(double n, const Term& t) {
  const Instruction& square = nodes_[t.base];
  if (t.factor != -n || square.op != Op::multiply || square.a != square.b) return -1;
  const Instruction root = nodes_[square.a];
  if (root.op != Op::sin && root.op != Op::cos) return -1;
  const int other = make(root.op == Op::sin ? Op::cos : Op::sin, root.a);
  return scaled(n, make_product(other, other));
}

// n + b. As node: the number in a, the factor of b positive; n + n x = n (1 + x).
int ExpressionGraph::add_number(double n, int b) {
  if (is_number(b)) return make_number(n + number(b));
  int rest = b;
  if (const double m = number_in(b, rest); m != 0) n += m, b = rest;
  if (n == 0) return b;
  const Term t = term(b);
  if (const int square = other_square(n, t); square >= 0) return square;
  if ((t.factor == n || t.factor == -n) && t.factor != 1)
    return scaled(t.factor, add_number(t.factor == n ? 1 : -1, t.base));
  if (t.factor < 0) return scaled(-1, place({Op::add, make_number(-n), scaled(-1, b), 0}));
  return place({Op::add, make_number(n), b, 0});
}

int ExpressionGraph::make_sum(int a, int b) {
  if (is_number(a)) return add_number(number(a), b);
  if (is_number(b)) return add_number(number(b), a);
  if (a > b) std::swap(a, b);  // the order of rounding must not depend on that of the operands
  // numbers go outside
  int rest = a;
  if (const double n = number_in(a, rest); n != 0) return add_number(n, make_sum(rest, b));
  if (const double n = number_in(b, rest); n != 0) return add_number(n, make_sum(a, rest));

  Term x = term(a), y = term(b);
  if (x.base == y.base) return scaled(x.factor + y.factor, x.base);
  if (const int simple = simplify_pair(x, y); simple >= 0) return simple;
  if (const int simple = simplify_pair(y, x); simple >= 0) return simple;
  if (x.base > y.base) std::swap(x, y), std::swap(a, b);
  // a common factor goes outside; the first term of what remains has a positive sign
  if (x.factor == y.factor && x.factor != 1) return scaled(x.factor, make_sum(x.base, y.base));
  if (x.factor == -y.factor && x.factor != 1)
    return scaled(x.factor, make_sum(x.base, scaled(-1, y.base)));
  if (x.factor < 0) return scaled(-1, make_sum(scaled(-1, a), scaled(-1, b)));
  return place({Op::add, a, b, 0});
}

int ExpressionGraph::make_product(int a, int b) {
  if (is_number(a)) return scaled(number(a), b);
  if (is_number(b)) return scaled(number(b), a);
  const Term x = term(a), y = term(b);
  const double factor = x.factor * y.factor;
  if (factor != 1) return scaled(factor, make_product(x.base, y.base));
  a = x.base, b = y.base;
  const Instruction left = nodes_[a], right = nodes_[b];
  // x (p / x) = p; a reciprocal joins what it is multiplied with only when that cancels
  if (left.op == Op::divide && left.b == b) return left.a;
  if (right.op == Op::divide && right.b == a) return right.a;
  if (left.op == Op::sqrt && a == b) return left.a;
  if (left.op == Op::multiply || right.op == Op::multiply)
    if (const int known = find_same_product(a, b); known >= 0) return known;
  if (a > b) std::swap(a, b);
  return place({Op::multiply, a, b, 0});
}

// The node of a b, neither a number; -1: there is none.
int ExpressionGraph::find_product(int a, int b) const {
  if (a < 0 || b < 0) return -1;
  return find({Op::multiply, std::min(a, b), std::max(a, b), 0});
}

// A product of the same three or four factors, taken together in whatever order; -1: there is none.
// Without it L x y - L y x would not vanish where the first was made as (L x) y, the second as
// (L y) x. To bring all products into one order instead would make nodes that share less (figures:
// docs/symbolic.md).
int ExpressionGraph::find_same_product(int a, int b) const {
  if (const int known = find_product(a, b); known >= 0) return known;
  const Instruction &x = nodes_[a], &y = nodes_[b];
  for (const auto& [one, pair] : {std::pair{a, y}, std::pair{b, x}}) {
    if (pair.op != Op::multiply) continue;
    for (const auto& [p, q] : {std::pair{pair.a, pair.b}, std::pair{pair.b, pair.a}})
      if (const int known = find_product(find_product(one, p), q); known >= 0) return known;
  }
  if (x.op != Op::multiply || y.op != Op::multiply) return -1;
  for (const auto& [p, q] : {std::pair{y.a, y.b}, std::pair{y.b, y.a}})
    if (const int known = find_product(find_product(x.a, p), find_product(x.b, q)); known >= 0)
      return known;
  return -1;
}

int ExpressionGraph::make_quotient(int a, int b) {
  if (is_number(a) && number(a) == 0 && !is_number(b, 0)) return a;
  if (is_number(b)) {
    if (is_number(a)) return make_number(number(a) / number(b));
    if (number(b) != 0) return scaled(1 / number(b), a);
    return place({Op::divide, a, b, 0});
  }
  const Term x = term(a), y = term(b);
  const bool number_above = is_number(a);
  const double factor = (number_above ? number(a) : x.factor) / y.factor;
  const int above = number_above ? make_number(1) : x.base;
  if (above == y.base) return make_number(factor);
  if (factor != 1) return scaled(factor, make_quotient(above, y.base));
  const Instruction top = nodes_[above], bottom = nodes_[y.base];
  if (top.op == Op::multiply && top.a == y.base) return top.b;
  if (top.op == Op::multiply && top.b == y.base) return top.a;
  if (bottom.op == Op::divide && is_number(bottom.a, 1)) return make_product(above, bottom.b);
  return place({Op::divide, above, y.base, 0});
}

int ExpressionGraph::make_power(int base, int exponent) {
  if (is_number(base) && is_number(exponent))
    return make_number(std::pow(number(base), number(exponent)));
  if (is_number(exponent)) {
    const double n = number(exponent);
    if (n == 0) return make_number(1);
    if (n == 0.5) return make(Op::sqrt, base);
    if (n < 0 && n == std::floor(n) && n >= -16)
      return make_quotient(make_number(1), make_power(base, make_number(-n)));
    if (n == std::floor(n) && n > 0 && n <= 16) {  // by squaring
      int result = -1, square = base;
      for (int k = static_cast<int>(n); k > 0; k /= 2) {
        if (k % 2) result = result < 0 ? square : make_product(result, square);
        if (k > 1) square = make_product(square, square);
      }
      return result;
    }
  }
  if (is_number(base, 1)) return base;
  return place({Op::power, base, exponent, 0});
}

// ------------------------------------------------------------------------------------- functions

// f(g(x)) = x where f is the inverse of g wherever g has a value.
static bool undoes(Op f, Op g) {
  return (f == Op::sin && g == Op::asin) || (f == Op::cos && g == Op::acos) ||
         (f == Op::tan && g == Op::atan) || (f == Op::log && g == Op::exp) ||
         (f == Op::exp && g == Op::log);
}

// A function of c x.
int ExpressionGraph::simplify_function(Op op, int a) {
  const Term t = term(a);
  const Instruction inner = nodes_[a];
  if (undoes(op, inner.op)) return inner.a;
  switch (op) {
    case Op::sin:
    case Op::tan:
    case Op::asin:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
      if (t.factor < 0) return scaled(-1, make(op, scaled(-1, a)));
      break;
    case Op::cos:
    case Op::cosh:
      if (t.factor < 0) return make(op, scaled(-1, a));
      break;
    case Op::sign:
      if (t.factor > 0) a = t.base;
      if (t.factor < 0) return scaled(-1, place({op, t.base, 0, 0}));
      break;
    case Op::step:
      if (t.factor > 0) a = t.base;
      break;
    case Op::abs:
      if (t.factor != 1) return scaled(std::fabs(t.factor), make(Op::abs, t.base));
      if (inner.op == Op::abs || inner.op == Op::sqrt || inner.op == Op::exp) return a;
      if (inner.op == Op::multiply && inner.a == inner.b) return a;
      break;
    case Op::sqrt: {
      const double root = std::sqrt(t.factor);
      if (t.factor > 0 && t.factor != 1 && root * root == t.factor)
        return scaled(root, make(Op::sqrt, t.base));
      if (inner.op == Op::multiply && inner.a == inner.b) return make(Op::abs, inner.a);
      break;
    }
    default:
      break;
  }
  return place({op, a, 0, 0});
}

}  // namespace cartan::symbolic
