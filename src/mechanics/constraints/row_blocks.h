// Rows of a matrix in blocks that share no column: what is done to one block leaves the others as
// they are. Loops that are local make many small blocks; the dense work on each does not grow with
// the mechanism.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::mechanics {

struct RowBlock {
  std::vector<int> rows, columns;  // ascending

  // The entries of its rows and columns.
  template <class Matrix>
  Eigen::MatrixXd part_of(const Matrix& whole) const {
    Eigen::MatrixXd part(rows.size(), columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i) part(i, j) = whole(rows[i], columns[j]);
    return part;
  }
};

// Rows without an entry are in no block. Blocks in the order of their first columns.
std::vector<RowBlock> find_row_blocks(const Eigen::MatrixXd& rows);

}  // namespace cartan::mechanics
