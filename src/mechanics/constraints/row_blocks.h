// Rows of a sparse matrix in blocks that share no column: what is done to one block leaves the
// others as they are. Loops that are local make many small blocks; the dense work on each does not
// grow with the mechanism.
#pragma once

#include <vector>

#include <Eigen/SparseCore>

#include "core/folders.h"

namespace cartan::mechanics {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

struct RowBlock {
  std::vector<int> rows, columns;  // ascending

  // The entries of its rows; there are none in other columns.
  Eigen::MatrixXd part_of(const SparseMatrix& whole) const;
};

// Which entries join columns: those that are not zero here, or all that are stored, as they may be
// not zero elsewhere.
enum class JoinedBy { values, places };

// Rows without an entry are in no block. Blocks in the order of their first columns.
std::vector<RowBlock> find_row_blocks(const SparseMatrix& rows, JoinedBy joined = JoinedBy::values);

// Rows of `above`, then those of `below`.
SparseMatrix stack_rows(const SparseMatrix& above, const SparseMatrix& below);
// These rows, in this order.
SparseMatrix select_rows(const SparseMatrix& whole, const std::vector<int>& rows);

}  // namespace cartan::mechanics
