// A function with its linear system worked out as far as that can be done before the numbers are
// known.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/code_unit.h"

namespace cartan::codegen {

// What is stored to: outputs first, then work arrays of dense blocks.
struct StoredArray {
  std::string name;
  int rows = 0, columns = 1;
  std::vector<int> row, column;  // of a sparse output
  std::vector<int> nodes;        // by entry; -1: not stored (set by a dense block, or not read)
  bool is_output = true;

  int size() const { return static_cast<int>(nodes.size()); }
  bool is_sparse() const { return !row.empty() || (nodes.empty() && rows * columns > 0); }
};

// A block of the matrix that is solved by a loop: arrays[matrix] x = arrays[rhs]; the solution
// replaces rhs and goes to the given entries of arrays[result], if there is one (-1: none). Of a
// symmetric matrix only the triangle below the diagonal is stored.
struct DenseBlock {
  int size = 0, columns = 1;
  bool symmetric = false;
  int matrix = 0, rhs = 0, result = 0;
  std::vector<int> result_entries;
};

struct PreparedFunction {
  std::string name, comment;
  std::vector<StoredArray> arrays;
  int outputs = 0;  // of arrays
  std::vector<DenseBlock> blocks;
  // Symbols of the graph (by number) that stand for what a block has found: array, entry. If there
  // are any, blocks come before outputs.
  std::map<int, std::pair<int, int>> solutions;
};

PreparedFunction prepare(ExpressionGraph& graph, const CodeFunction& function);

}  // namespace cartan::codegen
