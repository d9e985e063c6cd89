#include "symbolic/simplify/exact_point.h"

#include <cmath>

#include "symbolic/simplify/rational.h"

namespace cartan::symbolic {
namespace {

// The circle has p + 1 points.
Residue without_small_factors(Residue n) {
  for (const Residue q : {2, 3, 5, 7, 11, 13})
    while (n % q == 0) n /= q;
  return n;
}

}  // namespace

ExactPoint::ExactPoint(const ExpressionGraph& graph, Residue prime, Residue seed, Numbers numbers)
    : graph_(graph),
      field_(prime),
      circle_(without_small_factors(prime + 1)),
      squares_((prime - 1) / 2),
      seed_(mix_bits(seed)),
      numbers_(numbers),
      values_(graph),
      extent_(graph) {}

bool ExactPoint::evaluate(std::span<const int> nodes) {
  for (const int i : nodes) {
    extent_[i] = extent(i);
    if (!evaluate_node(i, values_[i]) || !in_domain_) return false;
  }
  return true;
}

Residue ExactPoint::number(double x, const Modulus& ring) const {
  if (numbers_ == Numbers::as_fractions) {
    const Coefficient fraction(x);
    if (fraction.is_exact()) {
      const Residue below =
          ring.inverse(ring.of_double(static_cast<double>(fraction.denominator())));
      if (below != 0)
        return ring.multiply(ring.of_double(static_cast<double>(fraction.numerator())), below);
    }
  }
  return ring.of_double(x);
}

Residue ExactPoint::quotient(Residue x, Residue y) {
  if (y == 0) in_domain_ = false;
  return field_.multiply(x, field_.inverse(y));
}

// 1 for squares, -1 for others, 0 for 0.
Residue ExactPoint::sign(Residue x) {
  return field_.power(x, (field_.size() - 1) / 2);
}

// The root that is a square itself.
Residue ExactPoint::root(Residue x) {
  if (x != 0 && sign(x) != 1) in_domain_ = false;
  return field_.power(x, (squares_.size() + 1) / 2);
}

// x^y: a whole number of factors; of a positive x any number as exponent in the ring of squares;
// else exp(y log x), where numbers in the sum y give powers of x.
Residue ExactPoint::power(int base, int exponent) {
  const Residue x = values_[base];
  if (graph_.is_number(exponent)) {
    const double n = graph_.number(exponent);
    if (n == std::floor(n) && std::fabs(n) < 1e9) {
      const Residue whole = field_.power(x, static_cast<Residue>(std::fabs(n)));
      return n < 0 ? quotient(1, whole) : whole;
    }
  }
  if (sign(x) != 1) in_domain_ = false;
  const Residue log = logarithm(base);
  Residue result = 1;
  Sum rest;
  for (Product p : sum_of(exponent)) {
    if (p.node == -1) {
      result = field_.multiply(result, field_.power(x, p.in_squares));
    } else {
      p.value = field_.multiply(p.value, log);
      p.node = several_factors;
      rest.push_back(p);
    }
  }
  return field_.multiply(result, exponential(rest));
}

Residue ExactPoint::opaque(Residue kind, Residue which, std::span<const int> arguments) {
  Residue key = which;
  for (const int k : arguments) key = mix_bits(key) ^ values_[k];
  return random(kind, key);
}

bool ExactPoint::evaluate_node(int i, Residue& result) {
  const Instruction& x = graph_.node(i);
  switch (x.op) {
    case Op::constant:
      if (!std::isfinite(graph_.number(i))) return false;
      result = number(graph_.number(i), field_);
      return true;
    case Op::input:
      result = random(1, static_cast<Residue>(x.a));
      return true;
    case Op::add:
      result = field_.add(values_[x.a], values_[x.b]);
      return true;
    case Op::multiply:
      result = field_.multiply(values_[x.a], values_[x.b]);
      return true;
    case Op::divide:
      result = quotient(values_[x.a], values_[x.b]);
      return true;
    case Op::call:
      result = opaque(2, static_cast<Residue>(x.a), graph_.arguments(x.b));
      return true;
    case Op::table:
    case Op::table_slope:
    case Op::table_curvature:
    case Op::table_jerk:
      result = opaque(3, static_cast<Residue>(4 * x.a + table_order(x.op)), {&x.b, 1});
      return true;
    default:
      result = function(x);
      return true;
  }
}

Residue ExactPoint::function(const Instruction& x) {
  const Residue a = values_[x.a];
  const auto absolute = [&](Residue v) { return field_.multiply(v, sign(v)); };
  if (x.op == Op::abs || x.op == Op::sign || x.op == Op::step || x.op == Op::min ||
      x.op == Op::max || x.op == Op::if_positive)
    ++signs_used_;
  switch (x.op) {
    case Op::power:
      return power(x.a, x.b);
    case Op::sqrt:
      return root(a);
    case Op::abs:
      return absolute(a);
    case Op::sign:
      return sign(a);
    case Op::step:
      return half(field_.add(1, sign(a)));
    case Op::min:
    case Op::max: {  // (a + b -+ |a - b|) / 2
      const Residue b = values_[x.b], gap = absolute(field_.subtract(a, b)), sum = field_.add(a, b);
      return half(x.op == Op::max ? field_.add(sum, gap) : field_.subtract(sum, gap));
    }
    case Op::if_positive:
      return sign(a) == 1 ? values_[x.b] : values_[x.c];
    case Op::sin:
      return angle(x.a).sine;
    case Op::cos:
      return angle(x.a).cosine;
    case Op::tan: {
      const Angle at = angle(x.a);
      return quotient(at.sine, at.cosine);
    }
    case Op::exp:
      return exponential(sum_of(x.a));
    case Op::sinh:
    case Op::cosh:
    case Op::tanh: {
      const Residue up = exponential(sum_of(x.a)), down = quotient(1, up);
      const Residue difference = field_.subtract(up, down), sum = field_.add(up, down);
      if (x.op == Op::tanh) return quotient(difference, sum);
      return half(x.op == Op::sinh ? difference : sum);
    }
    case Op::log:
      return logarithm(x.a);
    case Op::asin:
    case Op::atan: {  // odd functions
      const bool flip = a > field_.size() / 2;
      const Residue positive = random(4 + static_cast<Residue>(x.op), flip ? field_.negate(a) : a);
      return flip ? field_.negate(positive) : positive;
    }
    default: {  // acos, atan2
      const int arguments[] = {x.a, x.b};
      return opaque(4 + static_cast<Residue>(x.op), 0,
                    std::span(arguments, static_cast<std::size_t>(operand_count(x.op))));
    }
  }
}

}  // namespace cartan::symbolic
