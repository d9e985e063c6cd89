#include "symbolic/graph.h"

#include <bit>
#include <cassert>
#include <cmath>

#include "symbolic/expression.h"
#include "symbolic/operations.h"

namespace cartan {

std::size_t ExpressionGraph::Hash::operator()(const Instruction& i) const {
  std::uint64_t h = static_cast<std::uint64_t>(i.op) + 1;
  for (const int x : {i.a, i.b, i.c})
    h = (h ^ static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return static_cast<std::size_t>(h);
}

ExpressionGraph::ExpressionGraph() = default;

// ------------------------------------------------------------------------------------------ nodes

int ExpressionGraph::place(const Instruction& instruction) {
  const auto [at, is_new] = known_.try_emplace(instruction, size());
  if (is_new) {
    nodes_.push_back(instruction);
    samples_.push_back(calc_sample(instruction));
  }
  return at->second;
}

double ExpressionGraph::calc_sample(const Instruction& i) const {
  auto value = [&](int k) { return samples_[k]; };
  switch (i.op) {
    case Op::constant:
      return numbers_[i.a];
    case Op::input:
    case Op::call:
      return 0;  // set by who makes it
    case Op::if_positive:
      return value(i.a) > 0 ? value(i.b) : value(i.c);
    case Op::table:
    case Op::table_slope:
    case Op::table_curvature:
    case Op::table_jerk:
      return tables_[i.a]->derivative(table_order_of(i.op), value(i.b));
    default:
      return value_of_operation(i.op, value(i.a), operand_count(i.op) > 1 ? value(i.b) : 0);
  }
}

Expression ExpressionGraph::symbol(const std::string& name, double sample) {
  const auto [at, is_new] = known_symbols_.try_emplace(name, symbol_count());
  if (is_new) {
    names_.push_back(name);
    symbol_nodes_.push_back(place({Op::input, at->second, 0, 0}));
    samples_.back() = sample;
  }
  return {*this, symbol_nodes_[at->second]};
}

int ExpressionGraph::find_symbol(const std::string& name) const {
  const auto at = known_symbols_.find(name);
  return at == known_symbols_.end() ? -1 : symbol_nodes_[at->second];
}

Expression ExpressionGraph::call(const std::string& name,
                                 const std::vector<Expression>& arguments, double sample) {
  std::vector<int> list;
  for (const Expression& x : arguments) list.push_back(x.node_in(*this));
  const auto [function, new_function] =
      known_functions_.try_emplace(name, static_cast<int>(functions_.size()));
  if (new_function) functions_.push_back(name);
  const auto [place_of_list, new_list] =
      known_lists_.try_emplace(list, static_cast<int>(lists_.size()));
  if (new_list) lists_.push_back(list);
  const int before = size();
  const int made = place({Op::call, function->second, place_of_list->second, 0});
  if (made == before) samples_.back() = sample;
  return {*this, made};
}

int ExpressionGraph::make_number(double value) {
  if (value == 0) value = 0;  // one zero
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto [at, is_new] = known_numbers_.try_emplace(bits, size());
  if (is_new) {
    numbers_.push_back(value);
    nodes_.push_back({Op::constant, static_cast<int>(numbers_.size()) - 1, 0, 0});
    samples_.push_back(value);
  }
  return at->second;
}

int ExpressionGraph::make_table(const std::shared_ptr<const Spline>& spline, int order,
                                int argument) {
  if (order > 3) return make_number(0);
  if (is_number(argument)) return make_number(spline->derivative(order, number(argument)));
  std::size_t which = 0;
  while (which < tables_.size() && tables_[which] != spline) ++which;
  if (which == tables_.size()) tables_.push_back(spline);
  const Op op = static_cast<Op>(static_cast<int>(Op::table) + order);
  return place({op, static_cast<int>(which), argument, 0});
}

// ---------------------------------------------------------------------------------- normalisation

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
      return place({op, a, b, c});
    default:
      break;
  }
  assert(op != Op::constant && op != Op::input && op != Op::call && op < Op::table);
  const int operands = operand_count(op);
  if (is_number(a) && (operands == 1 || is_number(b)))
    return make_number(value_of_operation(op, number(a), operands > 1 ? number(b) : 0));
  if (operands == 1) return simplify_function(op, a);
  if ((op == Op::min || op == Op::max) && a == b) return a;
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
  const Instruction& square = nodes_[x.base];
  if (x.factor == y.factor && square.op == Op::multiply && square.a == square.b) {
    const Instruction& root = nodes_[square.a];
    if (root.op == Op::sin && is_square_of(y.base, Op::cos, root.a)) return make_number(x.factor);
    if (root.op == Op::cos && is_square_of(y.base, Op::sin, root.a)) return make_number(x.factor);
  }
  // c (p + q) + y where p or q is of y's kind
  if (square.op == Op::add && !is_number(square.a)) {
    const Instruction inner = square;
    for (const auto& [one, other] : {std::pair{inner.a, inner.b}, std::pair{inner.b, inner.a}}) {
      const Term p = term(one);
      if (p.base != y.base) continue;
      const double sum = x.factor * p.factor + y.factor;
      if (sum == 0) return scaled(x.factor, other);
    }
  }
  return -1;
}

int ExpressionGraph::make_sum(int a, int b) {
  if (is_number(a) && is_number(b)) return make_number(number(a) + number(b));
  if (is_number(b)) std::swap(a, b);
  if (is_number(a)) {
    if (number(a) == 0) return b;
    const Instruction& x = nodes_[b];
    if (x.op == Op::add && is_number(x.a)) {
      const int rest = x.b;
      return make_sum(make_number(number(a) + number(x.a)), rest);
    }
    // 1 - sin^2 = cos^2
    const Term t = term(b);
    const Instruction& square = nodes_[t.base];
    if (t.factor == -number(a) && square.op == Op::multiply && square.a == square.b) {
      const Instruction root = nodes_[square.a];
      if (root.op == Op::sin || root.op == Op::cos) {
        const int other = make(root.op == Op::sin ? Op::cos : Op::sin, root.a);
        return scaled(number(a), make_product(other, other));
      }
    }
    return place({Op::add, a, b, 0});
  }
  // numbers go outside
  const Instruction left = nodes_[a], right = nodes_[b];
  if (left.op == Op::add && is_number(left.a)) return make_sum(left.a, make_sum(left.b, b));
  if (right.op == Op::add && is_number(right.a)) return make_sum(right.a, make_sum(a, right.b));

  Term x = term(a), y = term(b);
  if (x.base == y.base) return scaled(x.factor + y.factor, x.base);
  if (const int simple = simplify_pair(x, y); simple >= 0) return simple;
  if (const int simple = simplify_pair(y, x); simple >= 0) return simple;
  if (x.base > y.base) std::swap(x, y), std::swap(a, b);
  // a common factor goes outside; the first term of what remains has a positive sign
  if (x.factor == y.factor && x.factor != 1)
    return scaled(x.factor, place({Op::add, x.base, y.base, 0}));
  if (x.factor == -y.factor && x.factor != 1)
    return scaled(x.factor, place({Op::add, x.base, scaled(-1, y.base), 0}));
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
  if (a > b) std::swap(a, b);
  return place({Op::multiply, a, b, 0});
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
    if (n == std::floor(n) && n <= 16) {  // by squaring
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

int ExpressionGraph::simplify_function(Op op, int a) {
  const Term t = term(a);
  const bool negative = t.factor < 0;
  switch (op) {
    case Op::sin:
    case Op::tan:
    case Op::asin:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
    case Op::sign:
      if (negative) return scaled(-1, place({op, scaled(-1, a), 0, 0}));
      break;
    case Op::cos:
    case Op::cosh:
      if (negative) a = scaled(-1, a);
      break;
    case Op::abs:
      if (t.factor != 1) return scaled(std::fabs(t.factor), make(Op::abs, t.base));
      if (nodes_[a].op == Op::abs || nodes_[a].op == Op::sqrt || nodes_[a].op == Op::exp) return a;
      break;
    case Op::sqrt:
      if (nodes_[a].op == Op::multiply && nodes_[a].a == nodes_[a].b)
        return make(Op::abs, nodes_[a].a);
      break;
    case Op::log:
      if (nodes_[a].op == Op::exp) return nodes_[a].a;
      break;
    default:
      break;
  }
  return place({op, a, 0, 0});
}

}  // namespace cartan
