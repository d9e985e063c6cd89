#include "analysis/null_space.h"

#include <algorithm>

#include "core/dense.h"

namespace cartan {

namespace {

Eigen::MatrixXd split(const Eigen::MatrixXd& A, double tolerance, double scale, double limit) {
  const Eigen::Index n = A.cols();
  if (n == 0 || A.rows() == 0) return Eigen::MatrixXd::Identity(n, n);
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.singularValues();
  const double least = std::max(limit, tolerance * std::max(scale, s[0]));
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > least) ++rank;
  return svd.matrixV().rightCols(n - rank);
}

}  // namespace

Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, double tolerance, double scale) {
  return split(A, tolerance, scale, 0);
}

Eigen::MatrixXd null_space_below(const Eigen::MatrixXd& A, double limit) {
  return split(A, 0, 0, limit);
}

Eigen::MatrixXd column_space(const Eigen::MatrixXd& A, double tolerance) {
  if (A.cols() == 0 || A.rows() == 0) return Eigen::MatrixXd(A.rows(), 0);
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU);
  const Eigen::VectorXd& s = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > tolerance * s[0]) ++rank;
  return svd.matrixU().leftCols(rank);
}

Eigen::MatrixXd complement(const Eigen::MatrixXd& Q) {
  const Eigen::Index n = Q.rows(), k = Q.cols();
  if (k == 0) return Eigen::MatrixXd::Identity(n, n);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Q);
  const Eigen::MatrixXd all = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
  return all.rightCols(n - k);
}

}  // namespace cartan
