// The form of an expression that is best read.
//
// The expression is collected: a polynomial in kernels (symbols, functions of simplified arguments,
// reciprocals of sums) with exact fractions as coefficients where the numbers are simple. Then
//   sin^2 + cos^2 = 1,  sqrt(x)^2 = x,  |x|^2 = x^2,
//   cos a cos b -+ sin a sin b = cos(a +- b),  sin a cos b +- cos a sin b = sin(a +- b),
//   quotients of polynomials that come out even
// are used where they shorten, with the angles of sums taken apart first or left alone; common
// factors are taken out, squares and products of sums recognised. Of all forms found, the input
// among them, the one with the shortest text is returned (brackets within brackets count as
// longer).
//
// Guards of derivatives (slope of sqrt(x) at x = 0) are dropped; apart from that the value is that
// of the input, to rounding (numbers that are a fraction to two units in the last place are taken
// for it). Expressions beyond a size limit are returned as they are: this is for readers, whose
// expressions are small.
#pragma once

#include <span>
#include <vector>

#include "symbolic/expression.h"

namespace cartan::symbolic {

struct SimplifyLimits {
  long operations = 20000;  // of the input, written out
  int terms = 400;          // of any polynomial on the way
};

Expression simplify(ExpressionGraph& graph, const Expression& value,
                    const SimplifyLimits& limits = {});

}  // namespace cartan::symbolic
