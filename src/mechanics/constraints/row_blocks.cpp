#include "mechanics/constraints/row_blocks.h"

#include <algorithm>
#include <numeric>

namespace cartan::mechanics {

std::vector<RowBlock> find_row_blocks(const Eigen::MatrixXd& rows) {
  const int m = static_cast<int>(rows.rows()), n = static_cast<int>(rows.cols());
  std::vector<int> leader(n);  // of the columns joined so far; itself: it leads
  std::iota(leader.begin(), leader.end(), 0);
  const auto find_leader = [&](int j) {
    while (leader[j] != j) j = leader[j] = leader[leader[j]];
    return j;
  };
  std::vector<int> first(m, -1);  // column of each row
  for (int j = 0; j < n; ++j)
    for (int r = 0; r < m; ++r) {
      if (rows(r, j) == 0) continue;
      if (first[r] < 0) first[r] = j;
      const int a = find_leader(first[r]), b = find_leader(j);
      leader[std::max(a, b)] = std::min(a, b);
    }
  std::vector<int> block_of(n, -1);
  std::vector<RowBlock> blocks;
  for (int r = 0; r < m; ++r) {
    if (first[r] < 0) continue;
    int& block = block_of[find_leader(first[r])];
    if (block < 0) {
      block = static_cast<int>(blocks.size());
      blocks.emplace_back();
    }
    blocks[block].rows.push_back(r);
  }
  for (int j = 0; j < n; ++j)
    if (const int block = block_of[find_leader(j)]; block >= 0) blocks[block].columns.push_back(j);
  std::sort(blocks.begin(), blocks.end(), [](const RowBlock& a, const RowBlock& b) {
    return a.columns.front() < b.columns.front();
  });
  return blocks;
}

}  // namespace cartan::mechanics
