// How collocation_program.h writes its sparse matrices.
#pragma once

#include <algorithm>

#include "analysis/control/collocation_program.h"

namespace cartan::analysis {

// Numbers of a sparse matrix in a fixed order, or their places.
class CollocationProgram::Entries {
 public:
  explicit Entries(SparsePattern& pattern) : pattern_(&pattern) {}
  explicit Entries(double* numbers) : numbers_(numbers) {}

  bool is_pattern() const { return pattern_ != nullptr; }
  void put(int i, int j, double value) {
    if (pattern_)
      pattern_->add(i, j);
    else
      *numbers_++ = value;
  }
  // Of a symmetric matrix.
  void put_below(int i, int j, double value) { put(std::max(i, j), std::min(i, j), value); }

 private:
  SparsePattern* pattern_ = nullptr;
  double* numbers_ = nullptr;
};

}  // namespace cartan::analysis
