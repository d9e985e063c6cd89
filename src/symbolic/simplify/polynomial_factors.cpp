#include "symbolic/simplify/polynomial_factors.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cartan::symbolic {
namespace {

std::optional<long> whole_root(long x) {
  if (x < 0) return {};
  const long root = std::lround(std::sqrt(static_cast<double>(x)));
  if (root * root != x) return {};
  return root;
}

// The root of a quotient that is the square of a fraction.
std::optional<Coefficient> fraction_root(const Coefficient& x) {
  if (!x.is_exact()) return {};
  const auto above = whole_root(x.numerator()), below = whole_root(x.denominator());
  if (!above || !below) return {};
  return Coefficient::fraction(*above, *below);
}

std::optional<KernelPowers> half(const KernelPowers& powers) {
  KernelPowers result = powers;
  for (KernelPower& k : result) {
    if (k.power % 2) return {};
    k.power /= 2;
  }
  return result;
}

bool same(const Polynomial& x, const Polynomial& y) {
  if (x.terms.size() != y.terms.size()) return false;
  return std::equal(x.terms.begin(), x.terms.end(), y.terms.begin(), [](auto& a, auto& b) {
    return a.first == b.first && equal(a.second, b.second);
  });
}

KernelPowers content(const Polynomial& p) {
  KernelPowers common = p.terms.begin()->first;
  for (const auto& [powers, c] : p.terms) common = common_part(common, powers);
  return common;
}

}  // namespace

std::optional<PerfectSquare> as_square(const Polynomial& p) {
  // n squares, told by their even powers, and n (n - 1) / 2 products
  std::size_t n = 2;
  while (n * (n + 1) / 2 < p.terms.size()) ++n;
  if (n * (n + 1) / 2 != p.terms.size()) return {};
  struct Square {
    KernelPowers powers;
    Coefficient c;
  };
  std::vector<Square> squares;
  for (const auto& [powers, c] : p.terms)
    if (const auto root = half(powers)) squares.push_back({*root, c});
  if (squares.size() != n) return {};
  PerfectSquare result;
  result.factor = squares[0].c;
  result.root.add(squares[0].powers, Coefficient(1));
  for (std::size_t k = 1; k < n; ++k) {
    const auto size = fraction_root(squares[k].c / result.factor);
    const auto cross = p.terms.find(product(squares[0].powers, squares[k].powers));
    if (!size || cross == p.terms.end()) return {};
    const bool negative = (cross->second / result.factor).value() < 0;
    result.root.add(squares[k].powers, negative ? -*size : *size);
  }
  if (!same(scaled(result.root * result.root, {}, result.factor), p)) return {};
  return result;
}

bool split_product(const Polynomial& p, Polynomial& one, Polynomial& other) {
  if (p.terms.size() < 4) return false;
  std::set<int> kernels;
  for (const auto& [powers, c] : p.terms)
    for (const KernelPower& k : powers) kernels.insert(k.kernel);
  for (const int kernel : kernels) {
    Polynomial with, without;
    bool linear = true;
    for (const auto& [powers, c] : p.terms) {
      const int power = power_in(powers, kernel);
      linear = linear && (power == 0 || power == 1);
      if (power == 0)
        without.add(powers, c);
      else
        with.add(product(powers, {{kernel, -1}}), c);
    }
    if (!linear || with.terms.size() < 2 || without.terms.size() < 2) continue;
    const KernelPowers common = content(with);
    Polynomial primitive, quotient;
    for (const auto& [powers, c] : with.terms)
      primitive.add(product(powers, to_power(common, -1)), c);
    if (!divide_exactly(without, primitive, quotient)) continue;
    one = primitive;
    other = quotient;
    other.add(product(common, {{kernel, 1}}), Coefficient(1));
    return true;
  }
  return false;
}

}  // namespace cartan::symbolic
