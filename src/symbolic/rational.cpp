#include "symbolic/rational.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>

namespace cartan {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
constexpr long largest = 1L << 40;  // beyond, numerators and denominators become doubles

}  // namespace

Coefficient::Coefficient(double x) : value_(x) {
  denominator_ = 0;
  for (const long m :
       {1L,  2L,  3L,  4L,  5L,  6L,  7L,   8L,    9L,     11L,     12L,      16L,      24L,
        32L, 36L, 48L, 60L, 64L, 10L, 100L, 1000L, 10000L, 100000L, 1000000L, 10000000L}) {
    const double n = std::round(x * static_cast<double>(m));
    if (std::fabs(n) > 1e9) return;
    if (std::fabs(n / static_cast<double>(m) - x) <= 2 * rounding * std::fabs(x)) {
      *this = fraction(static_cast<long>(n), m);
      return;
    }
  }
}

Coefficient Coefficient::fraction(long numerator, long denominator) {
  Coefficient result;
  const long divisor = std::gcd(numerator, denominator) * (denominator < 0 ? -1 : 1);
  result.numerator_ = numerator / divisor;
  result.denominator_ = denominator / divisor;
  return result;
}

double Coefficient::value() const {
  return is_exact() ? static_cast<double>(numerator_) / static_cast<double>(denominator_) : value_;
}

Coefficient Coefficient::operator-() const {
  Coefficient result = *this;
  result.numerator_ = -numerator_;
  result.value_ = -value_;
  return result;
}

Coefficient operator+(const Coefficient& x, const Coefficient& y) {
  if (x.is_exact() && y.is_exact()) {
    const __int128 above = static_cast<__int128>(x.numerator_) * y.denominator_ +
                           static_cast<__int128>(y.numerator_) * x.denominator_;
    const __int128 below = static_cast<__int128>(x.denominator_) * y.denominator_;
    if (above < largest && above > -largest && below < largest)
      return Coefficient::fraction(static_cast<long>(above), static_cast<long>(below));
  }
  const double sum = x.value() + y.value();
  const double size = std::fmax(std::fabs(x.value()), std::fabs(y.value()));
  if (std::fabs(sum) <= 16 * rounding * size) return {};
  return Coefficient(sum);
}

Coefficient operator*(const Coefficient& x, const Coefficient& y) {
  if (x.is_exact() && y.is_exact()) {
    const __int128 above = static_cast<__int128>(x.numerator_) * y.numerator_;
    const __int128 below = static_cast<__int128>(x.denominator_) * y.denominator_;
    if (above < largest && above > -largest && below < largest)
      return Coefficient::fraction(static_cast<long>(above), static_cast<long>(below));
  }
  return Coefficient(x.value() * y.value());
}

Coefficient operator/(const Coefficient& x, const Coefficient& y) {
  if (y.is_exact() && y.numerator_ != 0)
    return x * Coefficient::fraction(y.denominator_, y.numerator_);
  return Coefficient(x.value() / y.value());
}

}  // namespace cartan
