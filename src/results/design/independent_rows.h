// Rows of a matrix that are independent of those before them, by Gram and Schmidt.
#pragma once

#include <algorithm>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::results {

class IndependentRows {
 public:
  explicit IndependentRows(int columns) : basis_(0, columns) {}
  bool add(const Eigen::RowVectorXd& row) {
    Eigen::RowVectorXd rest = row;
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < basis_.rows(); ++i) rest -= rest.dot(basis_.row(i)) * basis_.row(i);
    if (!(rest.norm() > 1e-8 * std::max(row.norm(), 1e-12))) return false;
    basis_.conservativeResize(basis_.rows() + 1, basis_.cols());
    basis_.row(basis_.rows() - 1) = rest / rest.norm();
    return true;
  }

 private:
  Eigen::MatrixXd basis_;
};

}  // namespace cartan::results
