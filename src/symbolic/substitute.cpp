#include "symbolic/substitute.h"

#include <algorithm>
#include <cassert>

namespace cartan::symbolic {

std::vector<Expression> substitute(ExpressionGraph& graph, std::span<const Expression> values,
                                   std::span<const Expression> symbols,
                                   std::span<const Expression> by) {
  assert(symbols.size() == by.size());
  std::vector<int> replaced = nodes_of(symbols);
  const std::vector<int> needed = needed_nodes(graph, nodes_of(values), replaced);
  std::vector<std::pair<int, int>> rule;
  for (std::size_t k = 0; k < symbols.size(); ++k)
    if (!symbols[k].is_number()) rule.emplace_back(symbols[k].node(), by[k].node_in(graph));
  std::sort(rule.begin(), rule.end());

  PerNode<int> image(graph);
  std::size_t next = 0;
  for (const int i : needed) {
    while (next < rule.size() && rule[next].first < i) ++next;
    image[i] = next < rule.size() && rule[next].first == i
                   ? rule[next].second
                   : rebuilt(graph, i, [&](int k) { return image[k]; });
  }
  std::vector<Expression> result;
  for (const Expression& x : values)
    result.push_back(x.is_number() ? x : Expression(graph, image[x.node()]));
  return result;
}

Expression substitute(ExpressionGraph& graph, const Expression& value,
                      std::span<const Expression> symbols, std::span<const Expression> by) {
  return substitute(graph, std::span(&value, 1), symbols, by).front();
}

}  // namespace cartan::symbolic
