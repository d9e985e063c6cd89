#include "symbolic/print/number_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "core/scalar.h"

namespace cartan::symbolic {

std::string shortest_digits(double x) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, x).ptr;
  return {text, end};
}

std::string SimpleNumber::numerator_digits() const {
  return numerator == std::floor(numerator) ? std::to_string(static_cast<long>(numerator))
                                            : shortest_digits(numerator);
}

namespace {

// The decimal of at most six digits next to x.
double short_decimal(double x) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 6).ptr;
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

// 9.81 pi, 1.57/3: numbers that only look long. To one unit in the last place, the rounding of a
// product or quotient.
std::optional<SimpleNumber> short_multiple(double x) {
  const double rounding = std::numeric_limits<double>::epsilon() * x;
  for (const bool times_pi : {false, true})
    for (const int m : {1, 3, 2, 4, 6, 12, 7, 9, 8, 15, 16, 24}) {
      const double d = short_decimal(times_pi ? x * m / pi : x * m);
      const double value = times_pi ? d * pi / m : d / m;
      if (d < 1e6 && shortest_digits(d).size() <= 8 && std::fabs(value - x) <= rounding)
        return SimpleNumber{d, m, times_pi};
    }
  return {};
}

}  // namespace

std::optional<SimpleNumber> simple_number(double x) {
  if (!(x > 0) || x >= 1e6) return {};
  if (x == std::floor(x)) return SimpleNumber{x, 1, false};
  for (const int m :
       {1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 30, 36, 45, 60, 90, 180}) {
    const double n = std::round(x * m / pi);
    if (n >= 1 && n <= 360 && n * pi / m == x) return SimpleNumber{n, m, true};
  }
  const bool is_long = shortest_digits(x).size() > 8;
  for (const int m : {2,  4,  8,  3,  6,  7,  9,  11, 12, 13, 14,  15,  18,  21,
                      24, 27, 30, 36, 45, 48, 60, 72, 90, 96, 108, 120, 144, 180}) {
    const double n = std::round(x * m);
    const bool common = (m == 2 || m == 4 || m == 8) && (n == 1 || n == 3);
    if (n >= 1 && n < 1000 && n / m == x && (is_long || common)) return SimpleNumber{n, m, false};
  }
  return is_long ? short_multiple(x) : std::nullopt;
}

}  // namespace cartan::symbolic
