#include "study/distribution.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "study/kernel/sampling_functions.h"

namespace cartan::study {
namespace {

constexpr double most_grid_values = 1e9;

std::string expect_numbers(const Distribution& d, std::size_t count, const char* form) {
  if (d.numbers.size() == count) return "";
  return fmt::format("{} takes {} numbers, {}; got {}", to_string(d.kind), count, form,
                     d.numbers.size());
}

}  // namespace

const char* to_string(Distribution::Kind kind) {
  switch (kind) {
    case Distribution::Kind::uniform:
      return "uniform";
    case Distribution::Kind::normal:
      return "normal";
    case Distribution::Kind::lognormal:
      return "lognormal";
    case Distribution::Kind::triangular:
      return "triangular";
    case Distribution::Kind::values:
      return "values";
    case Distribution::Kind::table:
      return "table";
    case Distribution::Kind::lin:
      return "lin";
    case Distribution::Kind::log:
      return "log";
    case Distribution::Kind::list:
      break;
  }
  return "grid";
}

double Distribution::quantile(double p) const {
  return sampling::sample_quantile(static_cast<int>(kind), numbers.data(), numbers.size(), p);
}

std::uint64_t Distribution::count() const {
  const bool counted = kind == Kind::lin || kind == Kind::log;
  return counted ? static_cast<std::uint64_t>(numbers[2]) : numbers.size();
}

double Distribution::value(std::uint64_t place) const {
  return sampling::sample_value(static_cast<int>(kind), numbers.data(), count(), place);
}

std::string check_distribution(const Distribution& d) {
  using Kind = Distribution::Kind;
  const std::vector<double>& n = d.numbers;
  for (const double x : n)
    if (!std::isfinite(x))
      return fmt::format("{}: {} is not a finite number", to_string(d.kind), x);
  std::string problem;
  switch (d.kind) {
    case Kind::uniform:
      problem = expect_numbers(d, 2, "low and high");
      if (problem.empty() && !(n[0] <= n[1]))
        problem = fmt::format("uniform: expected low and high, got {:g} above {:g}", n[0], n[1]);
      break;
    case Kind::normal:
    case Kind::lognormal:
      problem = expect_numbers(
          d, 2,
          d.kind == Kind::normal ? "mean and deviation" : "mean and deviation of the logarithm");
      if (problem.empty() && !(n[1] >= 0))
        problem = fmt::format("{}: expected a deviation not below zero, got {:g}",
                              to_string(d.kind), n[1]);
      break;
    case Kind::triangular:
      problem = expect_numbers(d, 3, "low, most likely and high");
      if (problem.empty() && !(n[0] <= n[1] && n[1] <= n[2] && n[0] < n[2]))
        problem = fmt::format(
            "triangular: expected low, most likely and high in rising order, got "
            "{:g}, {:g}, {:g}",
            n[0], n[1], n[2]);
      break;
    case Kind::lin:
    case Kind::log:
      problem = expect_numbers(d, 3, "first, last and how many");
      if (!problem.empty()) break;
      if (n[2] != std::floor(n[2]) || n[2] < 1 || n[2] > most_grid_values)
        problem = fmt::format("{}: expected a number of values from 1 to {:g}, got {:g}",
                              to_string(d.kind), most_grid_values, n[2]);
      else if (d.kind == Kind::log && !(n[0] * n[1] > 0))
        problem = "log: a logarithmic grid needs ends of one sign, not zero";
      break;
    default:
      if (n.empty()) problem = fmt::format("{}: expected at least one value", to_string(d.kind));
  }
  return problem;
}

std::string text_of(const Distribution& d) {
  std::string text = std::string(to_string(d.kind)) + "(";
  for (std::size_t i = 0; i < d.numbers.size(); ++i)
    text += fmt::format("{}{}", i ? ", " : "", d.numbers[i]);
  return text + ")";
}

}  // namespace cartan::study
