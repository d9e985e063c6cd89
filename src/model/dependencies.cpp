#include "model/dependencies.h"

#include <algorithm>
#include <cstddef>

namespace cartan::model {

// Depth-first with a stack of its own: a chain of a hundred thousand definitions is legal.
DependencyOrder order_by_dependencies(const std::vector<std::vector<int>>& uses) {
  enum class Mark { fresh, open, done };
  struct Visit {
    int item;
    std::size_t next = 0;
  };
  DependencyOrder result;
  std::vector<Mark> mark(uses.size(), Mark::fresh);
  std::vector<Visit> stack;
  for (int start = 0; start < static_cast<int>(uses.size()); ++start) {
    if (mark[start] != Mark::fresh) continue;
    mark[start] = Mark::open;
    stack.push_back({start});
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next == uses[visit.item].size()) {
        mark[visit.item] = Mark::done;
        result.order.push_back(visit.item);
        stack.pop_back();
        continue;
      }
      const int used = uses[visit.item][visit.next++];
      if (mark[used] == Mark::fresh) {
        mark[used] = Mark::open;
        stack.push_back({used});
      } else if (mark[used] == Mark::open) {
        const auto first = std::find_if(stack.begin(), stack.end(),
                                        [&](const Visit& v) { return v.item == used; });
        std::vector<int>& cycle = result.cycles.emplace_back();
        for (auto v = first; v != stack.end(); ++v) cycle.push_back(v->item);
      }
    }
  }
  return result;
}

}  // namespace cartan::model
