#include "symbolic/number_text.h"

#include <charconv>
#include <cmath>

#include "core/scalar.h"

namespace cartan {

std::string shortest_digits(double x) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, x).ptr;
  return {text, end};
}

std::optional<SimpleNumber> simple_number(double x) {
  if (!(x > 0) || x >= 1e6) return {};
  if (x == std::floor(x)) return SimpleNumber{static_cast<long>(x), 1, false};
  for (const int m :
       {1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 30, 36, 45, 60, 90, 180}) {
    const double n = std::round(x * m / pi);
    if (n >= 1 && n <= 360 && n * pi / m == x) return SimpleNumber{static_cast<long>(n), m, true};
  }
  const bool is_long = shortest_digits(x).size() > 8;
  for (const int m :
       {2, 4, 8, 3, 6, 7, 9, 11, 12, 13, 14, 15, 18, 21, 24, 27, 30, 36, 45, 48, 60, 90}) {
    const double n = std::round(x * m);
    const bool common = (m == 2 || m == 4 || m == 8) && (n == 1 || n == 3);
    if (n >= 1 && n < 1000 && n / m == x && (is_long || common))
      return SimpleNumber{static_cast<long>(n), m, false};
  }
  return {};
}

}  // namespace cartan
