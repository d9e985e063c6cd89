#include "results/load/ranges.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "results/load/numbers.h"

namespace cartan::results {
namespace {

constexpr int most_values = 1000000;

// Parts between commas that stand in no parentheses.
std::vector<std::string> split_outside(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

std::optional<Range> read_range(const std::string& text, const Model& model, std::string& problem) {
  problem = fmt::format("expected NAME=lin(A,B,N) or NAME=log(A,B,N), got '{}'", text);
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  Range range;
  range.name = trimmed(text.substr(0, equals));
  const std::string law = trimmed(text.substr(equals + 1));
  const bool logarithmic = law.starts_with("log(");
  if (range.name.empty() || (!logarithmic && !law.starts_with("lin(")) || law.back() != ')')
    return std::nullopt;
  const std::vector<std::string> parts = split_outside(law.substr(4, law.size() - 5));
  if (parts.size() != 3) return std::nullopt;
  std::string why;
  const auto number = [&](const std::string& part) {
    return why.empty() ? read_number(part, &model, why) : std::nullopt;
  };
  const std::optional<double> a = number(parts[0]), b = number(parts[1]), n = number(parts[2]);
  if (!a || !b || !n) {
    problem = fmt::format("'{}': {}", text, why);
    return std::nullopt;
  }
  if (*n != std::floor(*n) || *n < 1 || *n > most_values) {
    problem = fmt::format("'{}': expected a number of values between 1 and {}, got {:g}", text,
                          most_values, *n);
    return std::nullopt;
  }
  if (logarithmic && !(*a * *b > 0)) {
    problem = fmt::format("'{}': a logarithmic range needs ends of one sign, not zero", text);
    return std::nullopt;
  }
  const int count = static_cast<int>(*n);
  for (int i = 0; i < count; ++i) {
    const double s = count > 1 ? static_cast<double>(i) / (count - 1) : 0;
    range.values.push_back(logarithmic ? *a * std::pow(*b / *a, s) : *a + s * (*b - *a));
  }
  if (count > 1) range.values.back() = *b;
  problem.clear();
  return range;
}

std::optional<std::vector<Range>> read_ranges(const std::string& text, const Model& model,
                                              std::string& problem) {
  std::vector<Range> ranges;
  for (const std::string& part : split_outside(text)) {
    std::optional<Range> range = read_range(part, model, problem);
    if (!range) return std::nullopt;
    ranges.push_back(std::move(*range));
  }
  return ranges;
}

}  // namespace cartan::results
