#include "symbolic/differentiate.h"

#include <algorithm>
#include <cassert>

#include "symbolic/partials.h"
#include "symbolic/users.h"

namespace cartan::symbolic {
namespace {

constexpr int zero = -1;  // in place of a node: the number 0

Expression expression_of(ExpressionGraph& graph, int slope) {
  return slope == zero ? Expression(0) : Expression(graph, slope);
}

int written(ExpressionGraph& graph, int slope) {
  return slope == zero ? graph.make_number(0) : slope;
}

// The derivative of node i from those of its operands, slope(operand).
template <class Slope>
int forward_slope(ExpressionGraph& graph, int i, Slope&& slope) {
  if (is_branch(graph.node(i).op)) {
    const Instruction x = graph.node(i);
    const bool two = x.op != Op::if_positive;
    if (slope(x.b) == zero && slope(two ? x.a : x.c) == zero) return zero;
    const BranchNodes branch = branch_of(graph, i);
    return graph.make(Op::if_positive, branch.condition, written(graph, slope(branch.yes)),
                      written(graph, slope(branch.no)));
  }
  int sum = zero;
  for_each_partial(
      graph, i, [&](int operand) { return slope(operand) != zero; },
      [&](int operand, int partial) {
        const int product = graph.make(Op::multiply, partial, slope(operand));
        sum = sum == zero ? product : graph.make(Op::add, sum, product);
      });
  return sum;
}

// One forward sweep from seeds: the variables and their derivatives.
std::vector<Expression> forward(ExpressionGraph& graph, std::span<const Expression> values,
                                std::span<const int> variables, std::span<const int> seeds) {
  const std::vector<int> needed = needed_nodes(graph, nodes_of(values), variables);
  PerNode<int> slope(graph);
  for (const int i : needed) slope[i] = zero;
  std::vector<std::pair<int, int>> seeded;
  for (std::size_t k = 0; k < variables.size(); ++k) seeded.emplace_back(variables[k], seeds[k]);
  std::sort(seeded.begin(), seeded.end());
  std::size_t next = 0;
  for (const int i : needed) {
    while (next < seeded.size() && seeded[next].first < i) ++next;
    if (next < seeded.size() && seeded[next].first == i)
      slope[i] = seeded[next].second;
    else
      slope[i] = forward_slope(graph, i, [&](int operand) { return slope[operand]; });
  }
  std::vector<Expression> result;
  for (const Expression& x : values)
    result.push_back(x.is_number() ? Expression(0) : expression_of(graph, slope[x.node()]));
  return result;
}

// Nodes among `needed` that depend on one of the variables (those included).
std::vector<int> dependent_nodes(const ExpressionGraph& graph, const std::vector<int>& needed,
                                 std::span<const int> variables) {
  PerNode<char> depends(graph);
  for (const int i : needed) depends[i] = 0;
  std::vector<int> found, sorted(variables.begin(), variables.end());
  std::sort(sorted.begin(), sorted.end());
  for (const int i : needed) {
    bool any = std::binary_search(sorted.begin(), sorted.end(), i);
    if (!any) for_each_operand(graph, i, [&](int k) { any = any || depends[k]; });
    depends[i] = any;
    if (any) found.push_back(i);
  }
  return found;
}

// One reverse sweep; -1 for a variable on which the value does not depend.
std::vector<int> reverse(ExpressionGraph& graph, int value, std::span<const int> variables) {
  // Variables that stand below others are ends too.
  const std::vector<int> needed = needed_nodes(graph, {&value, 1}, variables);
  const std::vector<int> active = dependent_nodes(graph, needed, variables);
  PerNode<int> adjoint(graph);
  PerNode<char> is_active(graph);
  for (const int i : needed) adjoint[i] = zero, is_active[i] = 0;
  for (const int i : active) is_active[i] = 1;
  std::vector<int> ends(variables.begin(), variables.end());
  std::sort(ends.begin(), ends.end());

  const auto wanted = [&](int operand) { return is_active[operand] != 0; };
  const auto give = [&](int operand, int part) {
    int& sum = adjoint[operand];
    sum = sum == zero ? part : graph.make(Op::add, sum, part);
  };
  if (!active.empty()) adjoint[value] = graph.make_number(1);
  for (auto at = active.rbegin(); at != active.rend(); ++at) {
    const int i = *at, g = adjoint[i];
    if (g == zero || std::binary_search(ends.begin(), ends.end(), i)) continue;
    if (is_branch(graph.node(i).op)) {
      const BranchNodes branch = branch_of(graph, i);
      const int none = graph.make_number(0);
      if (wanted(branch.yes))
        give(branch.yes, graph.make(Op::if_positive, branch.condition, g, none));
      if (wanted(branch.no))
        give(branch.no, graph.make(Op::if_positive, branch.condition, none, g));
      continue;
    }
    for_each_partial(graph, i, wanted, [&](int operand, int partial) {
      give(operand, graph.make(Op::multiply, g, partial));
    });
  }
  std::vector<int> result;
  for (const int variable : variables)
    result.push_back(std::binary_search(active.begin(), active.end(), variable) ? adjoint[variable]
                                                                                : zero);
  return result;
}

std::vector<int> variables_of(std::span<const Expression> by) {
  assert(std::none_of(by.begin(), by.end(), [](const Expression& x) { return x.is_number(); }));
  return nodes_of(by);
}

// Column by column, each sweep along the users of its variable.
void jacobian_forward(ExpressionGraph& graph, std::span<const Expression> values,
                      const std::vector<int>& variables, SparseJacobian& result) {
  const std::vector<int> needed = needed_nodes(graph, nodes_of(values), variables);
  const NodeUsers users(graph, needed);
  PerNode<int> slope(graph);
  for (const int i : needed) slope[i] = zero;
  std::vector<std::vector<int>> rows_of(needed.size());  // which values stand at a node
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!values[k].is_number())
      rows_of[users.position(values[k].node())].push_back(static_cast<int>(k));

  struct Entry {
    int row, column, node;
  };
  std::vector<Entry> entries;
  std::vector<int> ends = variables;
  std::sort(ends.begin(), ends.end());
  for (int column = 0; column < static_cast<int>(variables.size()); ++column) {
    const std::vector<int> chain = users.dependents(variables[column], ends);
    for (const int i : chain) {
      slope[i] = i == variables[column] ? graph.make_number(1)
                                        : forward_slope(graph, i, [&](int k) { return slope[k]; });
      if (slope[i] == zero || graph.is_number(slope[i], 0)) continue;
      for (const int row : rows_of[users.position(i)]) entries.push_back({row, column, slope[i]});
    }
    for (const int i : chain) slope[i] = zero;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return std::pair{x.row, x.column} < std::pair{y.row, y.column};
  });
  for (const Entry& x : entries) {
    result.row.push_back(x.row);
    result.column.push_back(x.column);
    result.entries.emplace_back(graph, x.node);
  }
}

void jacobian_reverse(ExpressionGraph& graph, std::span<const Expression> values,
                      const std::vector<int>& variables, SparseJacobian& result) {
  for (int row = 0; row < static_cast<int>(values.size()); ++row) {
    if (values[row].is_number()) continue;
    const std::vector<int> slopes = reverse(graph, values[row].node(), variables);
    for (int column = 0; column < static_cast<int>(slopes.size()); ++column) {
      if (slopes[column] == zero || graph.is_number(slopes[column], 0)) continue;
      result.row.push_back(row);
      result.column.push_back(column);
      result.entries.emplace_back(graph, slopes[column]);
    }
  }
}

}  // namespace

std::vector<Expression> differentiate(ExpressionGraph& graph, std::span<const Expression> values,
                                      const Expression& by) {
  const int one = graph.make_number(1), variable = variables_of({&by, 1}).at(0);
  return forward(graph, values, {&variable, 1}, {&one, 1});
}

Expression differentiate(ExpressionGraph& graph, const Expression& value, const Expression& by) {
  return differentiate(graph, std::span(&value, 1), by).front();
}

std::vector<Expression> gradient(ExpressionGraph& graph, const Expression& value,
                                 std::span<const Expression> by) {
  if (value.is_number()) return std::vector<Expression>(by.size(), Expression(0));
  std::vector<Expression> result;
  for (const int slope : reverse(graph, value.node(), variables_of(by)))
    result.push_back(expression_of(graph, slope));
  return result;
}

SparseJacobian jacobian(ExpressionGraph& graph, std::span<const Expression> values,
                        std::span<const Expression> by) {
  SparseJacobian result;
  result.rows = static_cast<int>(values.size());
  result.columns = static_cast<int>(by.size());
  const std::vector<int> variables = variables_of(by);
  if (8 * values.size() <= by.size())
    jacobian_reverse(graph, values, variables, result);
  else
    jacobian_forward(graph, values, variables, result);
  return result;
}

std::vector<Expression> total_time_derivative(ExpressionGraph& graph,
                                              std::span<const Expression> values,
                                              std::span<const Expression> states,
                                              std::span<const Expression> rates) {
  assert(states.size() == rates.size());
  std::vector<int> seeds;
  for (const Expression& rate : rates)
    seeds.push_back(rate.is_number() && rate.number() == 0 ? zero : rate.node_in(graph));
  return forward(graph, values, variables_of(states), seeds);
}

}  // namespace cartan::symbolic
