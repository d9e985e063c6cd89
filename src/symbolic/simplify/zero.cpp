#include "symbolic/simplify/zero.h"

#include <algorithm>
#include <cmath>

#include "symbolic/simplify/exact_point.h"
#include "symbolic/simplify/real_point.h"

namespace cartan::symbolic {
namespace {

constexpr int fewest_points = 8, most_points = 256, most_tries = 20000;

double uniform(Residue& state, double low, double high) {
  state = mix_bits(state);
  return low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53;
}

// A node, or the difference of two that is not formed as a node (numbers would be folded in it).
struct Difference {
  int plus = -1, minus = -1;  // -1: nothing

  template <class Value>
  bool is_zero(Value&& value) const {
    return (plus < 0 ? 0 : value(plus)) == (minus < 0 ? 0 : value(minus));
  }
};

// Strikes out of `zero` what is not zero at some point; false when no points could be found.
bool strike_by_exact_points(const ExpressionGraph& graph,
                            const std::vector<Difference>& differences,
                            const std::vector<int>& needed, Numbers numbers,
                            std::vector<bool>& zero) {
  int wanted = fewest_points, found = 0;
  Residue prime = 0;
  // roots of no square spoil points: about every second for each root
  const long work = 2'000'000'000 / (static_cast<long>(needed.size()) + 1000);
  const int limit = static_cast<int>(std::clamp(work, 200L, static_cast<long>(most_tries)));
  for (int tries = 0; found < wanted && tries < limit; ++tries) {
    if (tries % 4 == 0) prime = random_prime(static_cast<Residue>(tries / 4 % 16));
    ExactPoint point(graph, prime, static_cast<Residue>(tries), numbers);
    if (!point.evaluate(needed)) continue;
    ++found;
    for (std::size_t k = 0; k < differences.size(); ++k)
      zero[k] = zero[k] && differences[k].is_zero([&](int i) { return point.value(i); });
    if (std::none_of(zero.begin(), zero.end(), [](bool z) { return z; })) return true;
    // each branch doubles the number of cases
    wanted = std::min(most_points, fewest_points << std::min(point.signs_used(), 5));
  }
  return found >= fewest_points;
}

enum class Verdict { zero, not_zero, unknown };

// The values at real points against `margin` times the bound of their error.
std::vector<Verdict> judge_by_real_points(const ExpressionGraph& graph,
                                          const std::vector<Difference>& differences,
                                          const std::vector<int>& needed, double number_error,
                                          double margin) {
  std::vector<Verdict> verdicts(differences.size(), Verdict::unknown);
  Residue state = 12345;
  std::vector<double> at(graph.symbol_count());
  for (int k = 0; k < 8; ++k) {
    for (int symbol = 0; symbol < graph.symbol_count(); ++symbol) {
      const double sample = graph.sample(graph.symbol_node(symbol));
      const double near = sample * uniform(state, 0.8, 1.25) + uniform(state, -0.05, 0.05);
      at[symbol] =
          k % 2 == 0 && std::isfinite(near) ? near : uniform(state, k % 4 == 1 ? 0.1 : -2, 2);
    }
    RealPoint point(graph, at, number_error);
    point.evaluate(needed);
    for (std::size_t r = 0; r < differences.size(); ++r) {
      long double value = 0, error = 0;
      const auto add = [&](int node, int sign) {
        if (node < 0) return;
        value += sign * point.value(node);
        error += point.error(node);
      };
      add(differences[r].plus, 1);
      add(differences[r].minus, -1);
      if (!std::isfinite(value) || !std::isfinite(error)) continue;
      if (std::fabs(value) > margin * error)
        verdicts[r] = Verdict::not_zero;
      else if (verdicts[r] == Verdict::unknown)
        verdicts[r] = Verdict::zero;
    }
  }
  return verdicts;
}

std::vector<bool> decide(ExpressionGraph& graph, const std::vector<Difference>& differences,
                         Numbers numbers) {
  std::vector<int> roots;
  for (const Difference& d : differences)
    for (const int root : {d.plus, d.minus})
      if (root >= 0) roots.push_back(root);
  std::vector<bool> zero(differences.size(), true);
  const std::vector<int> needed = needed_nodes(graph, roots);
  if (!strike_by_exact_points(graph, differences, needed, numbers, zero))
    zero.assign(zero.size(), false);
  if (std::none_of(zero.begin(), zero.end(), [](bool z) { return z; })) return zero;
  // the check beside it
  const bool stored = numbers == Numbers::as_stored;
  const auto verdicts =
      judge_by_real_points(graph, differences, needed, stored ? 0 : 0x1p-52, stored ? 1e4 : 1e2);
  for (std::size_t k = 0; k < zero.size(); ++k)
    zero[k] = zero[k] && verdicts[k] != Verdict::not_zero;
  return zero;
}

}  // namespace

std::vector<bool> which_are_identically_zero(ExpressionGraph& graph,
                                             std::span<const Expression> values) {
  std::vector<Difference> differences;
  for (const Expression& x : values) differences.push_back({x.node_in(graph), -1});
  return decide(graph, differences, Numbers::as_stored);
}

bool is_identically_zero(ExpressionGraph& graph, const Expression& value) {
  if (value.is_number()) return value.number() == 0;
  return which_are_identically_zero(graph, {&value, 1})[0];
}

bool are_identical(ExpressionGraph& graph, const Expression& x, const Expression& y,
                   Numbers numbers) {
  if (identical(x, y)) return true;
  return decide(graph, {{x.node_in(graph), y.node_in(graph)}}, numbers)[0];
}

bool is_zero_to_rounding(ExpressionGraph& graph, const Expression& value, double margin) {
  return are_equal_to_rounding(graph, value, 0, margin);
}

bool are_equal_to_rounding(ExpressionGraph& graph, const Expression& x, const Expression& y,
                           double margin) {
  const std::vector<int> roots{x.node_in(graph), y.node_in(graph)};
  return judge_by_real_points(graph, {{roots[0], roots[1]}}, needed_nodes(graph, roots), 0x1p-53,
                              margin)[0] == Verdict::zero;
}

}  // namespace cartan::symbolic
