// Which nodes of a graph some expressions need.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "symbolic/expression.h"
#include "symbolic/operations.h"

namespace cartan::symbolic {

// All operands of node i that are nodes, those of calls included.
template <class Visit>
void for_each_operand(const ExpressionGraph& graph, int i, Visit&& visit) {
  const Instruction& x = graph.node(i);
  if (x.op != Op::call) return for_each_operand(x, visit);
  for (const int argument : graph.arguments(x.b)) visit(argument);
}

// The nodes of expressions; numbers are left out.
std::vector<int> nodes_of(std::span<const Expression> values);

// Numbers of nodes reached from `roots`, themselves included, ascending, where
// for_each_next(i, visit) visits those that i leads to (all smaller). Nothing is reached through a
// node of `ends`. Costs the nodes found and one bit per number.
template <class ForEachNext>
std::vector<int> reachable_nodes(std::span<const int> roots, std::span<const int> ends,
                                 ForEachNext&& for_each_next);

// The nodes on which `roots` are built, themselves included, ascending (an order of computation).
// Below the nodes of `ends` it does not look.
std::vector<int> needed_nodes(const ExpressionGraph& graph, std::span<const int> roots,
                              std::span<const int> ends = {});

// One T per node, for the nodes one writes before one reads: nothing is cleared.
template <class T>
class PerNode {
  static_assert(std::is_trivially_default_constructible_v<T>, "would be cleared");

 public:
  explicit PerNode(const ExpressionGraph& graph)
      : values_(std::make_unique_for_overwrite<T[]>(graph.size())) {}
  T& operator[](int node) { return values_[node]; }
  const T& operator[](int node) const { return values_[node]; }

 private:
  std::unique_ptr<T[]> values_;
};

}  // namespace cartan::symbolic

#include "symbolic/needed_impl.h"
