// Collector: what makes polynomials shorter again, and the way back to expressions.
#include <algorithm>
#include <cstdlib>

#include "symbolic/simplify/collect.h"
#include "symbolic/simplify/polynomial_factors.h"

namespace cartan::symbolic {

Polynomial Collector::recombine(Polynomial p) {
  for (int rounds = 0; rounds < 1000; ++rounds)
    if (!join_squares(p) && !join_angles(p) && !cancel_quotients(p)) break;
  return p;
}

int Collector::partner(int kernel) {
  const Instruction x = graph_.node(kernel);
  return graph_.make(x.op == Op::sin ? Op::cos : Op::sin, x.a);
}

// T - T cos^2 = T sin^2
bool Collector::join_squares(Polynomial& p) {
  for (const auto& [powers, c] : p.terms)
    for (const KernelPower& k : powers) {
      if (k.power < 2 || graph_.node(k.kernel).op != Op::cos) continue;
      const KernelPowers rest = product(powers, {{k.kernel, -2}});
      const auto at = p.terms.find(rest);
      if (at == p.terms.end() || !equal(at->second, -c)) continue;
      const Coefficient factor = at->second;
      const KernelPowers made = product(rest, {{partner(k.kernel), 2}}), gone = powers;
      p.terms.erase(rest);
      p.terms.erase(gone);
      p.add(made, factor);
      return true;
    }
  return false;
}

bool Collector::join_angles(Polynomial& p) {
  const auto is_angle = [&](const KernelPower& k) {
    const Op op = graph_.node(k.kernel).op;
    return k.power > 0 && (op == Op::sin || op == Op::cos);
  };
  for (const auto& [powers, c] : p.terms)
    for (const KernelPower& one : powers)
      for (const KernelPower& other : powers)
        if (one.kernel < other.kernel && is_angle(one) && is_angle(other) &&
            graph_.node(one.kernel).a != graph_.node(other.kernel).a &&
            join_angle_pair(p, KernelPowers(powers), one.kernel, other.kernel))
          return true;
  return false;
}

// P f(a) g(b) with its partner P f'(a) g'(b), where ' exchanges sin and cos.
bool Collector::join_angle_pair(Polynomial& p, const KernelPowers& powers, int one, int other) {
  const KernelPowers rest = product(product(powers, {{one, -1}}), KernelPowers{{other, -1}});
  const KernelPowers mate = product(product(rest, {{partner(one), 1}}), {{partner(other), 1}});
  const auto at = p.terms.find(mate);
  if (at == p.terms.end()) return false;
  const Coefficient c = p.terms.at(powers), d = at->second;
  const bool plus = equal(c, d);
  if (!plus && !equal(c, -d)) return false;
  const Expression a(graph_, graph_.node(one).a), b(graph_, graph_.node(other).a);
  const bool sine_of_a = graph_.node(one).op == Op::sin,
             sine_of_b = graph_.node(other).op == Op::sin;
  // c f(a) g(b) + d f'(a) g'(b), brought to the form in which the first cosine or sine of a leads
  Polynomial made;
  if (sine_of_a == sine_of_b) {
    const Coefficient cosines = sine_of_a ? d : c;
    made = scaled(kernel_of(cos(plus ? a - b : a + b)), rest, cosines);
  } else {
    const Coefficient sine_first = sine_of_a ? c : d;
    made = scaled(kernel_of(sin(plus ? a + b : a - b)), rest, sine_first);
  }
  p.terms.erase(powers);
  p.terms.erase(mate);
  p = p + made;
  return true;
}

// Terms over the same denominator whose sum can be divided by it.
bool Collector::cancel_quotients(Polynomial& p) {
  for (const auto& [sum, content] : in_kernel_) {
    int lowest = 0;
    for (const auto& [powers, c] : p.terms) lowest = std::min(lowest, power_in(powers, sum));
    if (lowest == 0) continue;
    Polynomial above, quotient, rest;
    for (const auto& [powers, c] : p.terms)
      if (power_in(powers, sum) == lowest)
        above.add(product(powers, {{sum, -lowest}}), c);
      else
        rest.add(powers, c);
    if (!divide_exactly(above, content, quotient)) continue;
    for (const auto& [powers, c] : quotient.terms) {
      const KernelPowers lower = lowest == -1 ? powers : product(powers, {{sum, lowest + 1}});
      rest.add(lower, c);
    }
    p = rest;
    return true;
  }
  return false;
}

// ------------------------------------------------------------------------- back to expressions

Expression Collector::tidy(const Polynomial& p) {
  return build(recombine(p), {});
}

Expression Collector::monomial(const KernelPowers& powers, const Coefficient& c) {
  Expression above = 1, below = 1;
  for (const KernelPower& k : powers) {
    const Expression kernel(graph_, k.kernel);
    (k.power > 0 ? above : below) *= pow(kernel, std::abs(k.power));
  }
  return c.value() * (above / below);
}

namespace {

using Terms = Collector::Terms;

int degree(const KernelPowers& x) {
  int sum = 0;
  for (const KernelPower& k : x) sum += std::abs(k.power);
  return sum;
}

bool contains(const KernelPowers& x, const KernelPowers& part) {
  return common_part(x, part) == part;
}

// The factors that save most when they are taken out of all terms that have them, best first.
std::vector<KernelPowers> best_factors(const Terms& terms) {
  struct Candidate {
    int saved, count;
    KernelPowers powers;
  };
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      const KernelPowers part = common_part(terms[i].first, terms[j].first);
      const auto is_part = [&](const Candidate& c) { return c.powers == part; };
      if (part.empty() || std::any_of(found.begin(), found.end(), is_part)) continue;
      const int count = static_cast<int>(std::count_if(
          terms.begin(), terms.end(), [&](const auto& t) { return contains(t.first, part); }));
      found.push_back({(count - 1) * degree(part), count, part});
    }
  std::stable_sort(found.begin(), found.end(), [](const Candidate& x, const Candidate& y) {
    return std::pair{x.saved, x.count} > std::pair{y.saved, y.count};
  });
  std::vector<KernelPowers> best;
  for (const Candidate& c : found) best.push_back(c.powers);
  return best;
}

}  // namespace

// Terms that are the square of a sum, or a product of sums.
std::optional<Expression> Collector::as_product(const Terms& terms, int deepest) {
  if (terms.size() < 3 || terms.size() > 40) return {};
  Polynomial p, one, other;
  for (const auto& [powers, c] : terms) p.add(powers, c);
  if (const auto square = as_square(p)) {
    found_product_ = true;
    return square->factor.value() * pow(build(square->root, {.deepest = deepest}), 2);
  }
  if (!split_product(p, one, other)) return {};
  found_product_ = true;
  return build(one, {.deepest = deepest}) * build(other, {.deepest = deepest});
}

Expression Collector::build(const Polynomial& p, const Factoring& how) {
  // an explicit list of work: sums of (factor) * (terms)
  struct Work {
    Expression factor;
    Terms terms;
    int parent;  // the work whose sum this is part of
    int depth;   // brackets around it
    Expression sum = 0;
  };
  std::vector<Work> work{{1, Terms(p.terms.begin(), p.terms.end()), -1, 0, 0}};
  int choice = how.choice;  // applies to the first choice there is
  for (std::size_t next = 0; next < work.size(); ++next) {
    Terms terms = std::move(work[next].terms);
    while (!terms.empty()) {
      const int left = how.deepest - work[next].depth;
      if (const auto found = how.products && left > 0 ? as_product(terms, left) : std::nullopt) {
        work[next].sum += *found;
        break;
      }
      std::vector<KernelPowers> factors;
      if (how.deepest > 0) factors = best_factors(terms);
      KernelPowers factor;
      if (!factors.empty()) {
        factor = factors[std::min<std::size_t>(choice, factors.size() - 1)];
        choice = 0;
        const bool everywhere = std::all_of(
            terms.begin(), terms.end(), [&](const auto& t) { return contains(t.first, factor); });
        if (work[next].depth >= how.deepest && !everywhere) factor.clear();
      }
      if (factor.empty()) {
        for (const auto& [powers, c] : terms) work[next].sum += monomial(powers, c);
        break;
      }
      Terms inside, rest;
      for (auto& [powers, c] : terms)
        if (contains(powers, factor))
          inside.emplace_back(product(powers, to_power(factor, -1)), c);
        else
          rest.emplace_back(powers, c);
      // what is common to all terms is no nesting
      const int depth = work[next].depth + (rest.empty() && work[next].sum.is_number() ? 0 : 1);
      work.push_back({monomial(factor, Coefficient(1)), inside, static_cast<int>(next), depth, 0});
      terms = rest;
    }
  }
  for (std::size_t k = work.size(); k-- > 1;)
    work[work[k].parent].sum += work[k].factor * work[k].sum;
  return work[0].sum;
}

}  // namespace cartan::symbolic
