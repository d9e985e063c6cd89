// Independent rows of a matrix, by orthogonalisation.
#pragma once

#include <vector>

#include "mechanics/constraints/row_blocks.h"

namespace cartan::mechanics {

// The largest remainder first, block by block (row_blocks.h). Twice is enough: each remainder is
// taken against all earlier directions a second time.
class RowChooser {
 public:
  // Rows below `negligible` times their size count as zero.
  RowChooser(const SparseMatrix& rows, const Eigen::VectorXd& sizes, double negligible);

  // Adds rows of `candidates` (flags) until no remainder is above the tolerance.
  void choose(const std::vector<int>& candidates, double tolerance, std::vector<int>& chosen);
  // Adds one row, if its remainder is above the tolerance.
  bool add(int row, double tolerance);

  int rank() const { return rank_; }
  // The chosen row that adds least to the others, and how much, of its size.
  int weakest() const { return weakest_; }
  double strength() const { return strength_; }

 private:
  struct Block {
    RowBlock at;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rest;
    std::vector<Eigen::RowVectorXd> directions;
  };
  bool take(Block& block, int place, double tolerance);

  std::vector<Block> blocks_;
  std::vector<int> block_of_, place_;  // per row: block (-1: zero), place in it
  std::vector<double> sine_;           // per row: length of its remainder, of what the row is
  Eigen::VectorXd share_;              // of its size that a row really has
  std::vector<char> taken_;
  int rank_ = 0, weakest_ = -1;
  double strength_ = 1;
};

}  // namespace cartan::mechanics
