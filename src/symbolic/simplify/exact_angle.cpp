// ExactPoint: angles, exponents and logarithms.
#include <algorithm>
#include <cmath>

#include "core/scalar.h"
#include "symbolic/simplify/exact_point.h"

namespace cartan::symbolic {
namespace {

constexpr std::size_t most_products = 64;  // beyond, a product of sums is not multiplied out
constexpr int largest_extent = 200;        // beyond, a sum or product is taken as a whole

bool is_arithmetic(Op op) {
  return op == Op::add || op == Op::multiply || op == Op::divide;
}

}  // namespace

// ------------------------------------------------------------------------------- sums of products

bool ExactPoint::is_expanded(int i) const {
  return is_arithmetic(graph_.node(i).op) && extent_[i] <= largest_extent;
}

short ExactPoint::extent(int i) const {
  const Instruction& x = graph_.node(i);
  if (!is_arithmetic(x.op)) return 1;
  const int sum = 1 + extent_[x.a] + (x.op == Op::divide ? 0 : extent_[x.b]);
  return static_cast<short>(std::min(sum, largest_extent + 1));
}

// Depth first with an explicit stack; only sums, products and quotients are looked into.
const ExactPoint::Sum& ExactPoint::sum_of(int node) {
  std::vector<int> open{node};
  while (!open.empty()) {
    const int i = open.back();
    const Instruction& x = graph_.node(i);
    const std::size_t before = open.size();
    if (is_expanded(i) && !sums_.count(i)) {
      if (!sums_.count(x.a)) open.push_back(x.a);
      if (x.op != Op::divide && !sums_.count(x.b)) open.push_back(x.b);
    }
    if (open.size() > before) continue;
    open.pop_back();
    if (!sums_.count(i)) sums_.emplace(i, expanded(i));
  }
  return sums_.at(node);
}

// From the sums of the operands.
ExactPoint::Sum ExactPoint::expanded(int i) {
  const Instruction& x = graph_.node(i);
  if (!is_expanded(i) && x.op != Op::constant) return {{1, 1, values_[i], i, 1}};
  if (x.op == Op::constant) {
    const double n = graph_.number(i);
    return {{number(n, circle_), number(n, squares_), 1, -1, n}};
  }
  if (x.op == Op::add) {
    Sum result = sums_.at(x.a);
    const Sum& more = sums_.at(x.b);
    result.insert(result.end(), more.begin(), more.end());
    if (result.size() <= most_products) return result;
  }
  if (x.op == Op::multiply && sums_.at(x.a).size() * sums_.at(x.b).size() <= most_products) {
    Sum result;
    for (const Product& p : sums_.at(x.a))
      for (const Product& q : sums_.at(x.b))
        result.push_back({circle_.multiply(p.in_circle, q.in_circle),
                          squares_.multiply(p.in_squares, q.in_squares),
                          field_.multiply(p.value, q.value),
                          p.node == -1 ? q.node : (q.node == -1 ? p.node : several_factors),
                          p.number * q.number});
    return result;
  }
  if (x.op == Op::divide) {
    Sum result = sums_.at(x.a);
    for (Product& p : result) p.value = quotient(p.value, values_[x.b]), p.node = several_factors;
    return result;
  }
  return {{1, 1, values_[i], i, 1}};
}

// ----------------------------------------------------------------------------------------- angles

ExactPoint::Angle ExactPoint::turned(const Angle& x, const Angle& y) const {
  return {field_.subtract(field_.multiply(x.cosine, y.cosine), field_.multiply(x.sine, y.sine)),
          field_.add(field_.multiply(x.sine, y.cosine), field_.multiply(x.cosine, y.sine))};
}

ExactPoint::Angle ExactPoint::times(Angle x, Residue n) const {
  Angle result;
  for (; n; n >>= 1, x = turned(x, x))
    if (n & 1) result = turned(result, x);
  return result;
}

// The angle of asin, acos, atan, atan2 by its cosine and sine.
ExactPoint::Angle ExactPoint::inverse_function(int node) {
  const Instruction& x = graph_.node(node);
  const Residue v = values_[x.a], square = field_.multiply(v, v);
  if (x.op == Op::asin) return {root(field_.subtract(1, square)), v};
  if (x.op == Op::acos) return {v, root(field_.subtract(1, square))};
  const Residue other = x.op == Op::atan2 ? values_[x.b] : 1;
  const Residue length = root(field_.add(square, field_.multiply(other, other)));
  return {quotient(other, length), quotient(v, length)};
}

ExactPoint::Angle ExactPoint::angle_of(const Product& p) {
  if (p.node == -1) {  // a number
    const double quarters = std::round(p.number / (pi / 2));
    if (std::fabs(quarters) < 1e6 && quarters * (pi / 2) == p.number)
      return times({0, 1}, static_cast<Residue>(std::fmod(quarters, 4) + 4));
  }
  if (p.node >= 0 && std::fabs(p.number) < 1e6 && p.number == std::floor(p.number)) {
    const Op op = graph_.node(p.node).op;
    if (op == Op::asin || op == Op::acos || op == Op::atan || op == Op::atan2) {
      Angle one = inverse_function(p.node);
      if (p.number < 0) one.sine = field_.negate(one.sine);
      return times(one, static_cast<Residue>(std::fabs(p.number)));
    }
  }
  // the point that belongs to this product: u -> ((1 - u^2), 2 u) / (1 + u^2)
  const Residue u = random(100, p.value), square = field_.multiply(u, u);
  const Residue below = field_.inverse(field_.add(1, square));  // -1 is no square
  const Angle point{field_.multiply(field_.subtract(1, square), below),
                    field_.multiply(field_.add(u, u), below)};
  return times(times(point, (field_.size() + 1) / circle_.size()), p.in_circle);
}

ExactPoint::Angle ExactPoint::angle(int node) {
  const Sum sum = sum_of(node);
  Angle result;
  for (const Product& p : sum) result = turned(result, angle_of(p));
  return result;
}

// ---------------------------------------------------------------------- exponents and logarithms

Residue ExactPoint::exponential(const Sum& sum) {
  Residue result = 1;
  for (const Product& p : sum) {
    Residue base;
    if (p.node >= 0 && graph_.node(p.node).op == Op::log) {  // exp(c log x) = x^c
      base = values_[graph_.node(p.node).a];
      if (sign(base) != 1) in_domain_ = false;
    } else {
      const Residue u = random(101, p.value);
      base = field_.multiply(u, u);
    }
    result = field_.multiply(result, field_.power(base, p.in_squares));
  }
  return result;
}

// log of a product as it stands.
Residue ExactPoint::logarithm(int node) {
  Residue result = 0;
  struct Open {
    int node;
    Residue factor;
  };
  std::vector<Open> open{{node, 1}};
  for (int looked_at = 0; !open.empty(); ++looked_at) {
    const Open next = open.back();
    open.pop_back();
    const Instruction& x = graph_.node(next.node);
    const bool room = looked_at < 1000;
    if (room && (x.op == Op::multiply || x.op == Op::divide)) {
      open.push_back({x.a, next.factor});
      open.push_back({x.b, x.op == Op::multiply ? next.factor : field_.negate(next.factor)});
    } else if (room && x.op == Op::sqrt) {
      open.push_back({x.a, half(next.factor)});
    } else if (room && x.op == Op::power) {
      open.push_back({x.a, field_.multiply(next.factor, values_[x.b])});
    } else if (x.op == Op::exp) {
      result = field_.add(result, field_.multiply(next.factor, values_[x.a]));
    } else if (values_[next.node] != 1) {
      result = field_.add(result, field_.multiply(next.factor, random(102, values_[next.node])));
    }
  }
  return result;
}

}  // namespace cartan::symbolic
