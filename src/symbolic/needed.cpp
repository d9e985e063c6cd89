#include "symbolic/needed.h"

namespace cartan::symbolic {

std::vector<int> nodes_of(std::span<const Expression> values) {
  std::vector<int> nodes;
  for (const Expression& x : values)
    if (!x.is_number()) nodes.push_back(x.node());
  return nodes;
}

std::vector<int> needed_nodes(const ExpressionGraph& graph, std::span<const int> roots,
                              std::span<const int> ends) {
  return reachable_nodes(roots, ends,
                         [&](int i, auto&& visit) { for_each_operand(graph, i, visit); });
}

}  // namespace cartan::symbolic
