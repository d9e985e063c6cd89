#include "core/block_triangular.h"

#include <algorithm>
#include <cstddef>

namespace cartan::core {
namespace {

// Both searches keep their own stack: chains of equations may be long.
class Structure {
 public:
  Structure(int n, const std::vector<int>& row, const std::vector<int>& column)
      : entries_(n), column_of_(n, -1), row_of_(n, -1), seen_(n, -1) {
    for (std::size_t k = 0; k < row.size(); ++k) entries_[row[k]].push_back(column[k]);
    for (std::vector<int>& list : entries_) std::sort(list.begin(), list.end());
  }

  BlockOrder order() {
    const int n = size();
    for (int i = 0; i < n; ++i) augment(i);
    BlockOrder result;
    for (int i = 0; i < n; ++i) {
      if (column_of_[i] < 0) result.left_rows.push_back(i);
      if (row_of_[i] < 0) result.left_columns.push_back(i);
    }
    if (result.left_rows.empty()) find_components(result.blocks);
    return result;
  }

 private:
  struct Visit {
    int row;
    std::size_t next = 0;
  };
  int size() const { return static_cast<int>(entries_.size()); }

  // A path from an unmatched row to a free column along entries and matched entries in turn.
  void augment(int start) {
    std::vector<Visit> path = {{start}};
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next == entries_[visit.row].size()) {
        path.pop_back();
        continue;
      }
      const int column = entries_[visit.row][visit.next++];
      if (seen_[column] == start) continue;
      seen_[column] = start;
      if (row_of_[column] >= 0) {
        path.push_back({row_of_[column]});
        continue;
      }
      for (int free = column; !path.empty(); path.pop_back()) {
        const int row = path.back().row, before = column_of_[row];
        column_of_[row] = free;
        row_of_[free] = row;
        free = before;
      }
    }
  }

  // Tarjan: components come out such that what they need has come out before.
  void find_components(std::vector<EquationBlock>& blocks) {
    const int n = size();
    std::vector<int> index(n, -1), low(n, 0), open;
    std::vector<char> is_open(n, 0);
    int count = 0;
    for (int start = 0; start < n; ++start) {
      if (index[start] >= 0) continue;
      std::vector<Visit> path = {{start}};
      while (!path.empty()) {
        const int row = path.back().row;
        if (path.back().next == 0) {
          index[row] = low[row] = count++;
          open.push_back(row);
          is_open[row] = 1;
        }
        bool entered = false;
        while (path.back().next < entries_[row].size()) {
          const int needed = row_of_[entries_[row][path.back().next++]];
          if (index[needed] < 0) {
            path.push_back({needed});
            entered = true;
            break;
          }
          if (is_open[needed]) low[row] = std::min(low[row], index[needed]);
        }
        if (entered) continue;
        path.pop_back();
        if (!path.empty()) low[path.back().row] = std::min(low[path.back().row], low[row]);
        if (low[row] == index[row]) blocks.push_back(take_component(row, open, is_open));
      }
    }
  }

  EquationBlock take_component(int root, std::vector<int>& open, std::vector<char>& is_open) {
    EquationBlock block;
    for (int row = -1; row != root;) {
      row = open.back();
      open.pop_back();
      is_open[row] = 0;
      block.rows.push_back(row);
      block.columns.push_back(column_of_[row]);
    }
    std::sort(block.rows.begin(), block.rows.end());
    std::sort(block.columns.begin(), block.columns.end());
    return block;
  }

  std::vector<std::vector<int>> entries_;  // columns of each row
  std::vector<int> column_of_, row_of_;    // the matching
  std::vector<int> seen_;                  // by column: the search that met it last
};

}  // namespace

BlockOrder order_blocks(int n, const std::vector<int>& row, const std::vector<int>& column) {
  return Structure(n, row, column).order();
}

}  // namespace cartan::core
