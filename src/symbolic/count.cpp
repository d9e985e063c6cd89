#include "symbolic/count.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "symbolic/needed.h"

namespace cartan::symbolic {
namespace {

constexpr long most = std::numeric_limits<long>::max();

long saturated_sum(long x, long y) {
  return x > most - y ? most : x + y;
}

void add(OperationCount& sum, const OperationCount& x) {
  sum.additions = saturated_sum(sum.additions, x.additions);
  sum.multiplications = saturated_sum(sum.multiplications, x.multiplications);
  sum.divisions = saturated_sum(sum.divisions, x.divisions);
  sum.functions = saturated_sum(sum.functions, x.functions);
}

OperationCount own_operations(const ExpressionGraph& graph, int i) {
  const Instruction& x = graph.node(i);
  OperationCount count;
  switch (x.op) {
    case Op::constant:
    case Op::input:
      break;
    case Op::add:
      count.additions = 1;
      break;
    case Op::multiply:
      count.multiplications = graph.is_number(x.a, -1) ? 0 : 1;
      break;
    case Op::divide:
      count.divisions = 1;
      break;
    default:
      count.functions = 1;
  }
  return count;
}

}  // namespace

long OperationCount::total() const {
  return saturated_sum(saturated_sum(additions, multiplications),
                       saturated_sum(divisions, functions));
}

OperationCount count_shared(const ExpressionGraph& graph, std::span<const Expression> values) {
  OperationCount sum;
  for (const int i : needed_nodes(graph, nodes_of(values))) add(sum, own_operations(graph, i));
  return sum;
}

OperationCount count_unshared(const ExpressionGraph& graph, std::span<const Expression> values) {
  const std::vector<int> needed = needed_nodes(graph, nodes_of(values));
  std::vector<OperationCount> counts(needed.size());
  PerNode<int> place(graph);
  for (std::size_t at = 0; at < needed.size(); ++at) {
    place[needed[at]] = static_cast<int>(at);
    counts[at] = own_operations(graph, needed[at]);
    for_each_operand(graph, needed[at], [&](int k) { add(counts[at], counts[place[k]]); });
  }
  OperationCount sum;
  for (const Expression& x : values)
    if (!x.is_number()) add(sum, counts[place[x.node()]]);
  return sum;
}

double total_unshared(const ExpressionGraph& graph, std::span<const Expression> values) {
  const std::vector<int> needed = needed_nodes(graph, nodes_of(values));
  std::vector<double> totals(needed.size());
  PerNode<int> place(graph);
  for (std::size_t at = 0; at < needed.size(); ++at) {
    place[needed[at]] = static_cast<int>(at);
    totals[at] = static_cast<double>(own_operations(graph, needed[at]).total());
    for_each_operand(graph, needed[at], [&](int k) { totals[at] += totals[place[k]]; });
  }
  double sum = 0;
  for (const Expression& x : values)
    if (!x.is_number()) sum += totals[place[x.node()]];
  return sum;
}

std::string operations_text(double total) {
  constexpr double as_whole_number = 1e9;
  if (!std::isfinite(total)) return "> 1e308";
  return total < as_whole_number ? fmt::format("{:.0f}", total) : fmt::format("{:.1e}", total);
}

}  // namespace cartan::symbolic
