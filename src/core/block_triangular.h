// The order in which a system of linear equations falls into small ones.
//
// Equations and unknowns are matched so that every equation has an unknown of its own (a maximum
// matching of the entries that are not zero); then equation i needs the unknowns of the equations
// it is matched with, and the strongly connected components of that relation are the smallest
// square systems that can be solved one after the other: a permutation of the matrix to block lower
// triangular form. The components do not depend on which matching was found.
#pragma once

#include <vector>

#include "core/folders.h"

namespace cartan::core {

struct EquationBlock {
  std::vector<int> rows, columns;  // ascending, equally many
};

struct BlockOrder {
  std::vector<EquationBlock> blocks;  // each needs the unknowns of itself and of earlier ones only
  // Equations and unknowns that cannot be matched: the matrix is singular whatever its numbers are.
  std::vector<int> left_rows, left_columns;
};

// A matrix of n rows and columns with entries at (row[k], column[k]).
BlockOrder order_blocks(int n, const std::vector<int>& row, const std::vector<int>& column);

}  // namespace cartan::core
