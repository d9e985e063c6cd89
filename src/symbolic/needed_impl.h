// Implementation of reachable_nodes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/folders.h"

namespace cartan::symbolic {

template <class ForEachNext>
std::vector<int> reachable_nodes(std::span<const int> roots, std::span<const int> ends,
                                 ForEachNext&& for_each_next) {
  if (roots.empty()) return {};
  const int last = *std::max_element(roots.begin(), roots.end());
  std::vector<std::uint64_t> marks(last / 64 + 1), closed;
  const auto mark = [](std::vector<std::uint64_t>& set, int i) {
    const std::uint64_t bit = std::uint64_t(1) << (i % 64);
    const bool is_new = !(set[i / 64] & bit);
    set[i / 64] |= bit;
    return is_new;
  };
  if (!ends.empty()) closed.resize(marks.size());
  for (const int i : ends)
    if (i <= last) mark(closed, i);

  std::vector<int> stack;
  const auto visit = [&](int i) {
    if (mark(marks, i)) stack.push_back(i);
  };
  for (const int root : roots) visit(root);
  std::size_t count = 0;
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    ++count;
    if (!closed.empty() && (closed[i / 64] >> (i % 64) & 1)) continue;
    for_each_next(i, visit);
  }
  std::vector<int> found;
  found.reserve(count);
  for (std::size_t word = 0; word < marks.size(); ++word)
    for (std::uint64_t bits = marks[word]; bits; bits &= bits - 1)
      found.push_back(static_cast<int>(word * 64) + std::countr_zero(bits));
  return found;
}

}  // namespace cartan::symbolic
