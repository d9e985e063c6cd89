#include "mechanics/constraints/row_blocks.h"

#include <algorithm>
#include <numeric>

namespace cartan::mechanics {
namespace {

// Sets of columns, joined two at a time.
class ColumnSets {
 public:
  explicit ColumnSets(int count) : leader_(count) { std::iota(leader_.begin(), leader_.end(), 0); }
  int find(int j) {
    while (leader_[j] != j) j = leader_[j] = leader_[leader_[j]];
    return j;
  }
  void join(int a, int b) {
    a = find(a), b = find(b);
    leader_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> leader_;  // itself: it leads
};

}  // namespace

Eigen::MatrixXd RowBlock::part_of(const SparseMatrix& whole) const {
  Eigen::MatrixXd part = Eigen::MatrixXd::Zero(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (SparseMatrix::InnerIterator entry(whole, rows[i]); entry; ++entry) {
      const auto at = std::lower_bound(columns.begin(), columns.end(), entry.col());
      if (at != columns.end() && *at == entry.col()) part(i, at - columns.begin()) = entry.value();
    }
  return part;
}

std::vector<RowBlock> find_row_blocks(const SparseMatrix& rows, JoinedBy joined) {
  const int m = static_cast<int>(rows.rows()), n = static_cast<int>(rows.cols());
  ColumnSets sets(n);
  std::vector<int> first(m, -1);  // column of each row
  for (int r = 0; r < m; ++r)
    for (SparseMatrix::InnerIterator entry(rows, r); entry; ++entry) {
      if (joined == JoinedBy::values && entry.value() == 0) continue;
      const int j = static_cast<int>(entry.col());
      if (first[r] < 0) first[r] = j;
      sets.join(first[r], j);
    }
  std::vector<int> block_of(n, -1);
  std::vector<RowBlock> blocks;
  for (int r = 0; r < m; ++r) {
    if (first[r] < 0) continue;
    int& block = block_of[sets.find(first[r])];
    if (block < 0) {
      block = static_cast<int>(blocks.size());
      blocks.emplace_back();
    }
    blocks[block].rows.push_back(r);
  }
  for (int j = 0; j < n; ++j)
    if (const int block = block_of[sets.find(j)]; block >= 0) blocks[block].columns.push_back(j);
  std::sort(blocks.begin(), blocks.end(), [](const RowBlock& a, const RowBlock& b) {
    return a.columns.front() < b.columns.front();
  });
  return blocks;
}

SparseMatrix stack_rows(const SparseMatrix& above, const SparseMatrix& below) {
  SparseMatrix all(above.rows() + below.rows(), above.cols());
  all.reserve(above.nonZeros() + below.nonZeros());
  Eigen::Index row = 0;
  for (const SparseMatrix* part : {&above, &below})
    for (Eigen::Index r = 0; r < part->rows(); ++r, ++row) {
      all.startVec(row);
      for (SparseMatrix::InnerIterator entry(*part, r); entry; ++entry)
        all.insertBack(row, entry.col()) = entry.value();
    }
  all.finalize();
  return all;
}

SparseMatrix select_rows(const SparseMatrix& whole, const std::vector<int>& rows) {
  SparseMatrix part(static_cast<Eigen::Index>(rows.size()), whole.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    part.startVec(row);
    for (SparseMatrix::InnerIterator entry(whole, rows[k]); entry; ++entry)
      part.insertBack(row, entry.col()) = entry.value();
  }
  part.finalize();
  return part;
}

}  // namespace cartan::mechanics
