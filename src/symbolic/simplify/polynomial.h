// Polynomials in kernels: what is collected when expressions are simplified.
//
// A kernel is a node of a graph that is not taken apart: a symbol, a function, a sum that stands in
// a denominator. Powers of kernels may be negative.
#pragma once

#include <map>
#include <vector>

#include "symbolic/simplify/rational.h"

namespace cartan::symbolic {

struct KernelPower {
  int kernel = 0, power = 1;  // power is never 0
  auto operator<=>(const KernelPower&) const = default;
};
using KernelPowers = std::vector<KernelPower>;  // kernels ascending

KernelPowers product(const KernelPowers& x, const KernelPowers& y);
KernelPowers to_power(const KernelPowers& x, int n);
int power_in(const KernelPowers& x, int kernel);  // 0: it does not occur
// The powers two products have in common: of each kernel the smaller one, if of equal sign.
KernelPowers common_part(const KernelPowers& x, const KernelPowers& y);

struct Polynomial {
  std::map<KernelPowers, Coefficient> terms;  // no coefficient is zero

  Polynomial() = default;
  explicit Polynomial(const Coefficient& number) { add({}, number); }
  static Polynomial kernel(int node, const Coefficient& factor = Coefficient(1)) {
    Polynomial p;
    p.add({{node, 1}}, factor);
    return p;
  }
  void add(const KernelPowers& powers, const Coefficient& coefficient);
  bool is_number() const {
    return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty());
  }
  Coefficient number() const { return terms.empty() ? Coefficient() : terms.begin()->second; }
};

Polynomial operator+(const Polynomial& x, const Polynomial& y);
// Without any relation between kernels.
Polynomial operator*(const Polynomial& x, const Polynomial& y);
Polynomial scaled(const Polynomial& x, const KernelPowers& powers, const Coefficient& factor);

// x / y where that is a polynomial again (y has at least one term); false where it is none.
bool divide_exactly(Polynomial x, const Polynomial& y, Polynomial& quotient);

}  // namespace cartan::symbolic
