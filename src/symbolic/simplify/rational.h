// Coefficients of the collected form: exact fractions where the numbers are simple, else doubles.
#pragma once

#include "core/folders.h"

namespace cartan::symbolic {

class Coefficient {
 public:
  Coefficient() = default;
  // A fraction where x is one with a denominator up to 2000 or a power of ten up to 1e7, to two
  // units in the last place (0.1 + 0.2 is 3/10); else the double.
  explicit Coefficient(double x);
  static Coefficient fraction(long numerator, long denominator);

  double value() const;
  bool is_exact() const { return denominator_ != 0; }
  long numerator() const { return numerator_; }      // when it is exact
  long denominator() const { return denominator_; }  // positive
  bool is_zero() const { return is_exact() ? numerator_ == 0 : value_ == 0; }

  Coefficient operator-() const;
  // A sum of doubles that cancels to rounding (16 units in the last place) is zero.
  friend Coefficient operator+(const Coefficient& x, const Coefficient& y);
  friend Coefficient operator*(const Coefficient& x, const Coefficient& y);
  friend Coefficient operator/(const Coefficient& x, const Coefficient& y);  // y is not zero
  // x = y, doubles to rounding.
  friend bool equal(const Coefficient& x, const Coefficient& y) { return (x + -y).is_zero(); }

 private:
  void find_fraction(double x);
  bool take_if_near(double numerator, double denominator);

  long numerator_ = 0, denominator_ = 1;  // lowest terms; denominator 0: value_
  double value_ = 0;
};

}  // namespace cartan::symbolic
