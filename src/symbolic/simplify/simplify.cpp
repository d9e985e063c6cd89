#include "symbolic/simplify/simplify.h"

#include <cctype>
#include <cmath>

#include "symbolic/count.h"
#include "symbolic/needed.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/collect.h"

namespace cartan::symbolic {
namespace {

// How hard a text is to read: its length, and more for brackets within brackets. Those of functions
// do not count.
std::size_t effort(const std::string& text) {
  std::size_t sum = text.size();
  std::vector<bool> groups;  // open brackets: of a group, or of a function
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '(') {
      const bool of_function = k > 0 && std::isalnum(static_cast<unsigned char>(text[k - 1]));
      groups.push_back(!of_function);
      if (!of_function) sum += depth++ == 0 ? 0 : 8;
    } else if (text[k] == ')') {
      depth -= groups.back();
      groups.pop_back();
    }
  }
  return sum;
}

std::size_t reading_effort(const ExpressionGraph& graph, const Expression& value) {
  PrintOptions options;
  options.written_out = 4000;
  const Printed printed = print_text(graph, {&value, 1}, options);
  std::size_t sum = effort(printed.values[0]);
  for (const PrintedLine& line : printed.lines) sum += 10 * line.text.size();
  return sum;
}

bool has_only_finite_numbers(const ExpressionGraph& graph, int node) {
  for (const int i : needed_nodes(graph, {&node, 1}))
    if (graph.is_number(i) && !std::isfinite(graph.number(i))) return false;
  return true;
}

// A check of the machinery: the values at the sample point, where both have one.
bool agree_at_sample(const Expression& x, const Expression& y) {
  const double a = x.sample(), b = y.sample();
  return !std::isfinite(a) || !std::isfinite(b) || std::fabs(a - b) <= 1e-6 * (1 + std::fabs(a));
}

}  // namespace

Expression simplify(ExpressionGraph& graph, const Expression& value, const SimplifyLimits& limits) {
  if (value.is_number() || count_unshared(graph, {&value, 1}).total() > limits.operations)
    return value;
  if (!has_only_finite_numbers(graph, value.node())) return value;
  Expression best = value;
  std::size_t least = reading_effort(graph, value);
  for (const bool expand_angles : {false, true}) {
    Collector collector(graph, expand_angles, limits.terms);
    const auto collected = collector.collect(value.node());
    if (!collected) continue;
    const Polynomial joined = collector.recombine(*collected);
    const auto try_form = [&](const Collector::Factoring& how) {
      const Expression form = collector.build(joined, how);
      if (!agree_at_sample(form, value)) return;
      const std::size_t needed = reading_effort(graph, form);
      // the input gives way to a collected form of equal length
      if (needed < least || (needed == least && identical(best, value)))
        best = form, least = needed;
    };
    try_form({.deepest = 0});
    if (joined.terms.size() > 60) continue;
    for (const int deepest : {1, 2})
      for (int choice = 0; choice < 4; ++choice) {
        try_form({deepest, choice});
        if (collector.found_product()) try_form({deepest, choice, false});
      }
  }
  return best;
}

}  // namespace cartan::symbolic
