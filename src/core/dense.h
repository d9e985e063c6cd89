// Eigen's decompositions of plain dense matrices, compiled once (dense.cpp) instead of in every
// file that uses one: they are the slowest templates of the whole build. Listed are the members
// that do the work, nothing else of the classes. Members that are templates of their argument are
// listed for matrices and vectors as such; with an expression as argument (`solve(A * b)`) they are
// compiled where that stands, so prefer `solve(VectorXd(A * b))`. Singular values come from
// JacobiSVD alone: the divide-and-conquer one of Eigen 3.4 reads out of range for matrices with
// many nearly equal singular values (long chains).
#pragma once

#include <Eigen/Dense>

#define CARTAN_DENSE_TEMPLATES(declare)                                                           \
  declare void ColPivHouseholderQR<MatrixXd>::computeInPlace();                                   \
  declare void CompleteOrthogonalDecomposition<MatrixXd>::computeInPlace();                       \
  declare MatrixXd CompleteOrthogonalDecomposition<MatrixXd>::matrixZ() const;                    \
  declare void PartialPivLU<MatrixXd>::compute();                                                 \
  declare void PartialPivLU<MatrixXcd>::compute();                                                \
  declare void EigenSolver<MatrixXd>::doComputeEigenvectors();                                    \
  declare EigenSolver<MatrixXd>::EigenvectorsType EigenSolver<MatrixXd>::eigenvectors() const;    \
  declare void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;      \
  declare void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) \
      const;                                                                                      \
  declare void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const MatrixXd&, MatrixXd&) \
      const;                                                                                      \
  declare void LDLT<MatrixXd>::_solve_impl(const MatrixXd&, MatrixXd&) const;                     \
  declare LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);                      \
  declare LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);                    \
  declare RealSchur<MatrixXd>& RealSchur<MatrixXd>::compute(const EigenBase<MatrixXd>&, bool);    \
  declare EigenSolver<MatrixXd>& EigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, bool);

// Those that no first run needs (dense_later.cpp).
#define CARTAN_LATER_DENSE_TEMPLATES(declare)                                           \
  declare JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned); \
  declare void HouseholderQR<MatrixXd>::computeInPlace();                               \
  declare SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(  \
      const EigenBase<MatrixXd>&, int);

namespace Eigen {
CARTAN_DENSE_TEMPLATES(extern template)
CARTAN_LATER_DENSE_TEMPLATES(extern template)
}  // namespace Eigen
