#include "symbolic/simplify/rational.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace cartan::symbolic {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
constexpr long largest = 1L << 40;  // beyond, numerators and denominators become doubles

}  // namespace

Coefficient::Coefficient(double x) : denominator_(0), value_(x) {
  find_fraction(x);
}

bool Coefficient::take_if_near(double n, double m) {
  if (!(std::fabs(n) <= 1e9) || !(std::fabs(n / m - value_) <= 2 * rounding * std::fabs(value_)))
    return false;
  *this = fraction(static_cast<long>(n), static_cast<long>(m));
  return true;
}

void Coefficient::find_fraction(double x) {
  // continued fraction: n / m are the best approximations with denominators up to m
  double rest = std::fabs(x), n = 1, m = 0, n_before = 0, m_before = 1;
  for (int k = 0; k < 20; ++k) {
    const double whole = std::floor(rest);
    const double n_next = whole * n + n_before, m_next = whole * m + m_before;
    n_before = n, m_before = m, n = n_next, m = m_next;
    if (!(m <= 2000) || !(n <= 1e9)) break;
    if (take_if_near(std::copysign(n, x), m)) return;
    rest = 1 / (rest - whole);
  }
  for (double ten = 1e4; ten <= 1e7; ten *= 10)
    if (take_if_near(std::round(x * ten), ten)) return;
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

}  // namespace cartan::symbolic
