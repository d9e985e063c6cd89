// Polynomials as products of sums.
#pragma once

#include <optional>

#include "symbolic/simplify/polynomial.h"

namespace cartan::symbolic {

// factor * root^2
struct PerfectSquare {
  Coefficient factor;
  Polynomial root;
};
// x^2 + 2 x y + y^2 and the like, of two or more terms with coefficients whose quotients are
// squares of fractions.
std::optional<PerfectSquare> as_square(const Polynomial& p);

// p = one * other, both with at least two terms, where p is linear in some kernel k:
// p = P1 k + P0 and P1, less what is common to its terms, divides P0.
bool split_product(const Polynomial& p, Polynomial& one, Polynomial& other);

}  // namespace cartan::symbolic
