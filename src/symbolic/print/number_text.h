// Numbers as they are written in equations.
#pragma once

#include <optional>
#include <string>

#include "core/folders.h"

namespace cartan::symbolic {

// n / m in the form in which it is best read: whole numbers, halves, thirds, multiples of pi.
// (numerator * (pi or 1)) / denominator is the number: exactly, or to one rounding where the
// numerator is a decimal.
struct SimpleNumber {
  double numerator = 0;  // whole, or a decimal of few digits
  long denominator = 1;
  bool times_pi = false;

  std::string numerator_digits() const;
};
// Whether a positive number is one: whole (below 1e6), a fraction that has no short decimal form,
// one or three halves, quarters or eighths, or a multiple of pi with a denominator in use for
// angles; where these do not help, a decimal of few digits times pi or over a small number.
std::optional<SimpleNumber> simple_number(double x);

// The shortest decimal digits that read back as x: "0.1", "1e-07", "2.5e+20".
std::string shortest_digits(double x);

}  // namespace cartan::symbolic
