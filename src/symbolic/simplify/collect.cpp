#include "symbolic/simplify/collect.h"

#include <cmath>

#include "core/scalar.h"
#include "symbolic/needed.h"

namespace cartan::symbolic {

std::optional<Polynomial> Collector::collect(int node) {
  const std::vector<int> needed = needed_nodes(graph_, {&node, 1});
  for (const int i : needed) {
    if (known_.count(i)) continue;
    Polynomial p = node_polynomial(i);
    if (too_many_ || p.terms.size() > most_terms_) return {};
    known_.emplace(i, std::move(p));
  }
  return known_.at(node);
}

Polynomial Collector::node_polynomial(int i) {
  const Instruction x = graph_.node(i);
  switch (x.op) {
    case Op::constant:
      return Polynomial(Coefficient(graph_.number(i)));
    case Op::input:
      return Polynomial::kernel(i);
    case Op::add:
      return known_.at(x.a) + known_.at(x.b);
    case Op::multiply:
      return multiply(known_.at(x.a), known_.at(x.b));
    case Op::divide:
      if (known_.at(x.b).terms.empty()) return Polynomial::kernel(i);
      return divide(known_.at(x.a), known_.at(x.b));
    case Op::power: {
      const double n = graph_.is_number(x.b) ? graph_.number(x.b) : 0.5;
      if (n == std::floor(n) && std::fabs(n) <= 32)
        return whole_power(known_.at(x.a), static_cast<int>(n));
      return kernel_of(pow(tidy(known_.at(x.a)), tidy(known_.at(x.b))));
    }
    case Op::atan2:
    case Op::min:
    case Op::max:
      return kernel_of(apply(x.op, tidy(known_.at(x.a)), tidy(known_.at(x.b))));
    case Op::if_positive: {
      // what guards a derivative against sqrt(0) and |0| is not meant for readers
      const Op condition = graph_.node(x.a).op;
      if (condition == Op::sqrt || condition == Op::abs) return known_.at(x.b);
      // 0 where -x > 0, else x: that is max(x, 0)
      const Polynomial &a = known_.at(x.a), &b = known_.at(x.b), &c = known_.at(x.c);
      if (b.terms.empty() && (a + c).terms.empty()) return kernel_of(max(tidy(c), Expression(0)));
      return kernel_of(
          select(less(0, tidy(known_.at(x.a))), tidy(known_.at(x.b)), tidy(known_.at(x.c))));
    }
    case Op::call: {
      std::vector<int> arguments;
      for (const int k : graph_.arguments(x.b))
        arguments.push_back(tidy(known_.at(k)).node_in(graph_));
      return kernel_of(graph_.make_call(x.a, arguments, graph_.sample(i)));
    }
    default:
      break;
  }
  if (is_table(x.op))
    return kernel_of(apply_table(graph_.table(x.a), table_order(x.op), tidy(known_.at(x.b))));
  return function(x.op, known_.at(x.a));
}

// A node made of simplified operands; a number or a factor may have come out of it.
Polynomial Collector::kernel_of(const Expression& x) {
  if (x.is_number()) return Polynomial(Coefficient(x.number()));
  const ExpressionGraph::Term t = graph_.term(x.node());
  return Polynomial::kernel(t.base, Coefficient(t.factor));
}

Polynomial Collector::function(Op op, const Polynomial& x) {
  if ((op == Op::sin || op == Op::cos) && expand_angles_ && !too_many_) return sine_of_sum(op, x);
  return kernel_of(apply(op, tidy(x)));
}

// ------------------------------------------------------------------------ products and quotients

Polynomial Collector::multiply(const Polynomial& x, const Polynomial& y) {
  if (x.terms.size() * y.terms.size() > 20 * most_terms_) {
    too_many_ = true;
    return {};
  }
  return reduced(x * y);
}

// Relations of kernels: sin^2 = 1 - cos^2, sqrt(x)^2 = x, |x|^2 = x^2.
Polynomial Collector::reduced_term(const KernelPowers& powers, const Coefficient& c) {
  for (const KernelPower& k : powers) {
    const Instruction x = graph_.node(k.kernel);
    if (k.power < 2 || (x.op != Op::sin && x.op != Op::sqrt && x.op != Op::abs)) continue;
    const KernelPowers rest = product(powers, {{k.kernel, -2}});
    Polynomial square;
    if (x.op == Op::sin) {
      square.add({}, Coefficient(1));
      square.add({{partner(k.kernel), 2}}, Coefficient(-1));
    } else {
      const auto argument = collect(x.a);
      if (!argument) return {};
      square = x.op == Op::sqrt ? *argument : multiply(*argument, *argument);
    }
    return reduced(scaled(square, rest, c));
  }
  Polynomial result;
  result.add(powers, c);
  return result;
}

Polynomial Collector::reduced(const Polynomial& p) {
  Polynomial result;
  for (const auto& [powers, c] : p.terms) {
    for (const auto& [q, d] : reduced_term(powers, c).terms) result.add(q, d);
    if (result.terms.size() > 4 * most_terms_) too_many_ = true;
    if (too_many_) return {};
  }
  return result;
}

Polynomial Collector::divide(const Polynomial& x, const Polynomial& y) {
  if (y.terms.size() > 1) {
    Polynomial quotient;
    if (divide_exactly(x, y, quotient)) return quotient;
  }
  return multiply(x, inverse(y));
}

Polynomial Collector::inverse(const Polynomial& y) {
  const Polynomial short_form = y.terms.size() > 1 ? recombine(y) : y;
  Polynomial result;
  if (short_form.terms.size() == 1) {
    const auto& [powers, c] = *short_form.terms.begin();
    result.add(to_power(powers, -1), Coefficient(1) / c);
    return result;
  }
  // common factors stay visible, the rest is a kernel
  KernelPowers common = short_form.terms.begin()->first;
  for (const auto& [powers, c] : short_form.terms) common = common_part(common, powers);
  const Polynomial rest = scaled(short_form, to_power(common, -1), Coefficient(1));
  const Expression sum = build(rest, {});
  const ExpressionGraph::Term t = graph_.term(sum.node_in(graph_));
  in_kernel_.emplace(t.base, scaled(rest, {}, Coefficient(1) / Coefficient(t.factor)));
  result.add(product(to_power(common, -1), {{t.base, -1}}), Coefficient(1) / Coefficient(t.factor));
  return result;
}

Polynomial Collector::whole_power(const Polynomial& x, int n) {
  if (n < 0)
    return x.terms.empty() ? Polynomial(Coefficient(1.0 / 0.0)) : whole_power(inverse(x), -n);
  Polynomial result(Coefficient(1));
  for (int k = 0; k < n && !too_many_; ++k) result = multiply(result, x);
  return result;
}

// ----------------------------------------------------------------------------------------- angles

// sin and cos of n times an angle that is one term.
Collector::SinCos Collector::multiple_angle(const Polynomial& angle, long n) {
  const Expression x = build(angle, {.deepest = 0});
  const SinCos one{kernel_of(sin(x)), kernel_of(cos(x))};
  SinCos sum{Polynomial(), Polynomial(Coefficient(1))};
  for (long k = 0; k < std::labs(n); ++k)
    sum = {multiply(sum.sine, one.cosine) + multiply(sum.cosine, one.sine),
           multiply(sum.cosine, one.cosine) +
               scaled(multiply(sum.sine, one.sine), {}, Coefficient(-1))};
  if (n < 0) sum.sine = scaled(sum.sine, {}, Coefficient(-1));
  return sum;
}

Polynomial Collector::sine_of_sum(Op op, const Polynomial& angle) {
  SinCos sum{Polynomial(), Polynomial(Coefficient(1))};
  for (const auto& [powers, c] : angle.terms) {
    SinCos part;
    if (powers.empty()) {
      // quarter turns are exact
      const double quarters = c.value() / (pi / 2);
      const bool whole = std::fabs(quarters - std::round(quarters)) < 1e-14 && quarters < 1e6;
      const double s = std::sin(c.value()), k = std::cos(c.value());
      part = {Polynomial(Coefficient(whole ? std::round(s) : s)),
              Polynomial(Coefficient(whole ? std::round(k) : k))};
    } else {
      // a small multiple of one angle; anything else is an angle by itself
      const bool small = c.is_exact() && std::labs(c.numerator()) <= 4;
      Polynomial one;
      one.add(powers, small ? Coefficient::fraction(1, c.denominator()) : c);
      part = multiple_angle(one, small ? c.numerator() : 1);
    }
    sum = {multiply(sum.sine, part.cosine) + multiply(sum.cosine, part.sine),
           multiply(sum.cosine, part.cosine) +
               scaled(multiply(sum.sine, part.sine), {}, Coefficient(-1))};
    if (too_many_) return {};
  }
  return op == Op::sin ? sum.sine : sum.cosine;
}

}  // namespace cartan::symbolic
