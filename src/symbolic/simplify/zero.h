// The decision that an expression is identically zero, so that two derivations can be proved equal.
//
// The expression is evaluated exactly, modulo primes of 61 bits at random points (exact_point.h
// says how functions live there). An expression that is not zero gives zero at such a point with a
// probability of about its degree / 2^60; eight points are asked (more where there are branches),
// so the answer `zero` is wrong with a probability nobody will meet, provided the degree is not
// astronomical. The points are the same in every run.
//
// Decided exactly: sums, products, quotients, powers; sin, cos, tan of sums of products (addition
//   theorems, multiples by any number, quarter turns); exp and hyperbolic functions likewise;
//   sqrt and powers with fractions, taken positive; log of products as they stand; |x|, sign, step,
//   min, max, if by the rules of signs of products; the angles of asin, acos, atan, atan2.
//   Functions known by name and tables are arbitrary functions of their arguments.
// Not decided (answered `not zero` though it is): what needs the sign of a sum (|x^2 + 1| = x^2 +
//   1), relations among the values of asin, acos, atan, atan2 themselves, logarithms of sums, more
//   than about twelve independent roots; and all that holds to rounding only: numbers are taken as
//   the fractions they are, so 3 * 0.1 - 0.3 is not zero, nor is cos(pi / 4)^2 - 1/2. For these
//   there is the decision up to rounding: the value at random real points against a bound of its
//   error.
// An answer `zero` is checked at real points too: when one contradicts it, the answer is no.
#pragma once

#include <span>
#include <vector>

#include "symbolic/expression.h"
#include "symbolic/simplify/exact_point.h"

namespace cartan::symbolic {

bool is_identically_zero(ExpressionGraph& graph, const Expression& value);
// x = y. With Numbers::as_fractions 0.1 is one tenth and 1.0 / 3 one third: what was written in
// decimals and thirds is proved as it was meant.
bool are_identical(ExpressionGraph& graph, const Expression& x, const Expression& y,
                   Numbers numbers = Numbers::as_stored);
// Of many expressions at once: each point is evaluated once for all.
std::vector<bool> which_are_identically_zero(ExpressionGraph& graph,
                                             std::span<const Expression> values);

// Zero at random real points up to `margin` times the error that one rounding of every number which
// is not whole, and of every operation, can cause. Points are drawn around the sample values and
// between -2 and 2; those outside of a domain are passed over; false where no point is left.
bool is_zero_to_rounding(ExpressionGraph& graph, const Expression& value, double margin = 8);
// x - y likewise, without forming it: in an expression x - y numbers would be folded, and what is
// left of 0.3 x - 0.1 * 3 x is not zero to rounding of anything.
bool are_equal_to_rounding(ExpressionGraph& graph, const Expression& x, const Expression& y,
                           double margin = 8);

}  // namespace cartan::symbolic
