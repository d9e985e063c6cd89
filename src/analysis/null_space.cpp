#include "analysis/null_space.h"

#include <algorithm>

#include "core/dense.h"

namespace cartan::analysis {

namespace {

using Eigen::MatrixXd;

// A^T P = Q R with pivoting: columns of Q beyond the rank are orthogonal to all rows of A that
// count. Where singular values have a gap at the limit the pivots have it too, at a fraction of the
// price.
MatrixXd split(const MatrixXd& A, double tolerance, double scale) {
  const Eigen::Index n = A.cols();
  if (n == 0 || A.rows() == 0) return MatrixXd::Identity(n, n);
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(A.transpose());
  const auto pivots = qr.matrixQR().diagonal().cwiseAbs();
  const double least = tolerance * std::max(scale, pivots[0]);
  Eigen::Index rank = 0;
  while (rank < pivots.size() && pivots[rank] > least) ++rank;
  if (rank == n) return MatrixXd(n, 0);  // Eigen takes no blocks of matrices without columns
  MatrixXd null = MatrixXd::Zero(n, n - rank);
  null.bottomRows(n - rank).setIdentity();
  null.applyOnTheLeft(qr.householderQ());
  return null;
}

}  // namespace

MatrixXd null_space(const MatrixXd& A, double tolerance, double scale) {
  return split(A, tolerance, scale);
}

MatrixXd null_space_below(const MatrixXd& A, double limit) {
  const Eigen::Index n = A.cols();
  if (n == 0 || A.rows() == 0) return MatrixXd::Identity(n, n);
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > limit) ++rank;
  return svd.matrixV().rightCols(n - rank);
}

MatrixXd column_space(const MatrixXd& A, double tolerance, double scale) {
  if (A.cols() == 0 || A.rows() == 0) return MatrixXd(A.rows(), 0);
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(A);
  const auto pivots = qr.matrixQR().diagonal().cwiseAbs();
  Eigen::Index rank = 0;
  while (rank < pivots.size() && pivots[rank] > tolerance * std::max(scale, pivots[0])) ++rank;
  if (rank == 0) return MatrixXd(A.rows(), 0);
  MatrixXd basis = MatrixXd::Identity(A.rows(), rank);
  basis.applyOnTheLeft(qr.householderQ());
  return basis;
}

Eigen::MatrixXd complement(const Eigen::MatrixXd& Q) {
  const Eigen::Index n = Q.rows(), k = Q.cols();
  if (k == 0) return Eigen::MatrixXd::Identity(n, n);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Q);
  const Eigen::MatrixXd all = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
  return all.rightCols(n - k);
}

}  // namespace cartan::analysis
