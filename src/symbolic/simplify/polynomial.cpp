#include "symbolic/simplify/polynomial.h"

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace cartan::symbolic {

KernelPowers product(const KernelPowers& x, const KernelPowers& y) {
  KernelPowers result;
  auto a = x.begin();
  auto b = y.begin();
  while (a != x.end() || b != y.end()) {
    if (b == y.end() || (a != x.end() && a->kernel < b->kernel)) {
      result.push_back(*a++);
    } else if (a == x.end() || b->kernel < a->kernel) {
      result.push_back(*b++);
    } else {
      const int power = a->power + b->power;
      if (power != 0) result.push_back({a->kernel, power});
      ++a, ++b;
    }
  }
  return result;
}

KernelPowers to_power(const KernelPowers& x, int n) {
  KernelPowers result;
  if (n != 0)
    for (const KernelPower& k : x) result.push_back({k.kernel, k.power * n});
  return result;
}

int power_in(const KernelPowers& x, int kernel) {
  const auto at =
      std::find_if(x.begin(), x.end(), [&](const KernelPower& k) { return k.kernel == kernel; });
  return at == x.end() ? 0 : at->power;
}

KernelPowers common_part(const KernelPowers& x, const KernelPowers& y) {
  KernelPowers result;
  for (const KernelPower& k : x) {
    const int other = power_in(y, k.kernel);
    if (k.power > 0 && other > 0) result.push_back({k.kernel, std::min(k.power, other)});
    if (k.power < 0 && other < 0) result.push_back({k.kernel, std::max(k.power, other)});
  }
  return result;
}

void Polynomial::add(const KernelPowers& powers, const Coefficient& coefficient) {
  if (coefficient.is_zero()) return;
  const auto [at, is_new] = terms.try_emplace(powers, coefficient);
  if (is_new) return;
  at->second = at->second + coefficient;
  if (at->second.is_zero()) terms.erase(at);
}

Polynomial operator+(const Polynomial& x, const Polynomial& y) {
  Polynomial sum = x;
  for (const auto& [powers, coefficient] : y.terms) sum.add(powers, coefficient);
  return sum;
}

Polynomial operator*(const Polynomial& x, const Polynomial& y) {
  Polynomial result;
  for (const auto& [p, c] : x.terms)
    for (const auto& [q, d] : y.terms) result.add(product(p, q), c * d);
  return result;
}

Polynomial scaled(const Polynomial& x, const KernelPowers& powers, const Coefficient& factor) {
  Polynomial result;
  for (const auto& [p, c] : x.terms) result.add(product(p, powers), c * factor);
  return result;
}

// Long division by the leading term. The order of the terms has to respect multiplication:
// by powers of the first kernel, then of the second, and so on.
namespace {

bool leads(const KernelPowers& x, const KernelPowers& y) {
  auto a = x.begin();
  auto b = y.begin();
  while (a != x.end() && b != y.end() && *a == *b) ++a, ++b;
  const int first =
      std::min(a == x.end() ? INT_MAX : a->kernel, b == y.end() ? INT_MAX : b->kernel);
  return power_in(x, first) > power_in(y, first);
}

auto leading_term(const Polynomial& x) {
  return *std::max_element(x.terms.begin(), x.terms.end(),
                           [](const auto& a, const auto& b) { return leads(b.first, a.first); });
}

}  // namespace

bool divide_exactly(Polynomial x, const Polynomial& y, Polynomial& quotient) {
  quotient = {};
  const auto divisor = leading_term(y);
  const KernelPowers inverse = to_power(divisor.first, -1);
  // an exact quotient has at most as many terms as the dividend times this
  for (int steps = 0; !x.terms.empty() && steps < 200; ++steps) {
    const auto top = leading_term(x);
    // divisible only if no power of the divisor's leading term is missing
    for (const KernelPower& k : divisor.first)
      if (power_in(top.first, k.kernel) < k.power) return false;
    const KernelPowers powers = product(top.first, inverse);
    const Coefficient factor = top.second / divisor.second;
    quotient.add(powers, factor);
    x = x + scaled(y, powers, -factor);
    if (x.terms.count(top.first)) return false;  // rounding left something
  }
  return x.terms.empty();
}

}  // namespace cartan::symbolic
