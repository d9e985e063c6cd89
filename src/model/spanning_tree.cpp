#include "model/spanning_tree.h"

#include <functional>
#include <queue>

namespace cartan::model {

// A joint can join only once one of its sides is reached; those wait in a heap, first in the file
// on top. A joint whose second side was reached meanwhile drops out. O(n log n).
SpanningTree find_spanning_tree(const std::vector<Joint>& joints, const std::vector<bool>& may_join,
                                int body_count) {
  SpanningTree result;
  std::vector<std::vector<int>> joints_of(body_count + 1);  // the world's at the end
  const auto slot = [&](int body) { return body == world ? body_count : body; };
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    if (!may_join[j]) continue;
    joints_of[slot(joints[j].parent.body)].push_back(j);
    joints_of[slot(joints[j].child.body)].push_back(j);
  }
  std::vector<bool> reached(body_count + 1, false), in_tree(joints.size(), false);
  std::priority_queue<int, std::vector<int>, std::greater<>> waiting;
  const auto reach = [&](int body) {
    reached[slot(body)] = true;
    for (int j : joints_of[slot(body)]) waiting.push(j);
  };
  reach(world);
  while (!waiting.empty()) {
    const int j = waiting.top();
    waiting.pop();
    const int parent = joints[j].parent.body, child = joints[j].child.body;
    const bool reversed = !reached[slot(parent)];
    if (reached[slot(parent)] && reached[slot(child)]) continue;
    in_tree[j] = true;
    const int inboard = reversed ? child : parent, outboard = reversed ? parent : child;
    result.joints.push_back({j, inboard, outboard, reversed});
    reach(outboard);
  }
  for (int j = 0; j < static_cast<int>(joints.size()); ++j)
    if (!in_tree[j]) result.loops.push_back(j);
  for (int b = 0; b < body_count; ++b)
    if (!reached[b]) result.unreached.push_back(b);
  return result;
}

}  // namespace cartan::model
