// Which nodes use a node: the graph read upwards.
#pragma once

#include "symbolic/needed.h"

namespace cartan::symbolic {

class NodeUsers {
 public:
  // Of the nodes in `nodes` (ascending) among themselves; of calls too.
  NodeUsers(const ExpressionGraph& graph, const std::vector<int>& nodes);

  int position(int node) const { return position_[node]; }  // in `nodes`
  int count(int node) const { return first_[position_[node] + 1] - first_[position_[node]]; }

  // The nodes that depend on `node`, itself included, ascending; dependence through one of `ends`
  // (sorted) does not count. Empty when `node` is none of the nodes.
  std::vector<int> dependents(int node, std::span<const int> ends) const;

 private:
  const std::vector<int>& nodes_;
  PerNode<int> position_;
  std::vector<int> first_, users_;  // users of nodes_[k]: users_[first_[k]..first_[k + 1])
  mutable std::vector<char> marked_;
};

}  // namespace cartan::symbolic
