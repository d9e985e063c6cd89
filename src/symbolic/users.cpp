#include "symbolic/users.h"

#include <algorithm>

namespace cartan::symbolic {

NodeUsers::NodeUsers(const ExpressionGraph& graph, const std::vector<int>& nodes)
    : nodes_(nodes), position_(graph), first_(nodes.size() + 2), marked_(nodes.size()) {
  // Operands that are not in the list (below an end of the search that found it) have none.
  for (const int i : nodes) for_each_operand(graph, i, [&](int k) { position_[k] = -1; });
  for (std::size_t k = 0; k < nodes.size(); ++k) position_[nodes[k]] = static_cast<int>(k);
  const auto for_each_listed = [&](int i, auto&& visit) {
    for_each_operand(graph, i, [&](int operand) {
      if (position_[operand] >= 0) visit(position_[operand]);
    });
  };
  for (const int i : nodes) for_each_listed(i, [&](int k) { ++first_[k + 2]; });
  for (std::size_t k = 2; k < first_.size(); ++k) first_[k] += first_[k - 1];
  users_.resize(first_.back());
  for (const int i : nodes) for_each_listed(i, [&](int k) { users_[first_[k + 1]++] = i; });
  first_.pop_back();
}

std::vector<int> NodeUsers::dependents(int node, std::span<const int> ends) const {
  if (!std::binary_search(nodes_.begin(), nodes_.end(), node)) return {};
  std::vector<int> found{node};
  marked_[position_[node]] = 1;
  for (std::size_t next = 0; next < found.size(); ++next) {
    const int k = position_[found[next]];
    for (int u = first_[k]; u < first_[k + 1]; ++u) {
      const int user = users_[u];
      if (marked_[position_[user]] || std::binary_search(ends.begin(), ends.end(), user)) continue;
      marked_[position_[user]] = 1;
      found.push_back(user);
    }
  }
  for (const int i : found) marked_[position_[i]] = 0;
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace cartan::symbolic
