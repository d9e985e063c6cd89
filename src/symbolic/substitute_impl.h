// Implementation of `rebuilt`.
#pragma once

#include "symbolic/needed.h"

namespace cartan::symbolic {

template <class Place>
int rebuilt(ExpressionGraph& graph, int i, Place&& place) {
  bool changed = false;
  for_each_operand(graph, i, [&](int k) { changed = changed || place(k) != k; });
  if (!changed) return i;
  const Instruction x = graph.node(i);  // a copy: the graph grows
  if (is_table(x.op)) return graph.make_table(graph.table(x.a), table_order(x.op), place(x.b));
  if (x.op == Op::call) {
    std::vector<int> arguments;
    for (const int k : graph.arguments(x.b)) arguments.push_back(place(k));
    return graph.make_call(x.a, arguments, graph.sample(i)).node();
  }
  const int count = operand_count(x.op);
  const int a = place(x.a), b = count > 1 ? place(x.b) : 0, c = count > 2 ? place(x.c) : 0;
  return graph.make(x.op, a, b, c);
}

}  // namespace cartan::symbolic
