// Eigen's decompositions of plain dense matrices, compiled once (dense.cpp) instead of in every
// file that uses one: they are the slowest templates of the whole build. Singular values come from
// JacobiSVD alone: the divide-and-conquer one of Eigen 3.4 reads out of range for matrices with
// many nearly equal singular values (long chains).
#pragma once

#include <Eigen/Dense>

namespace Eigen {

extern template class JacobiSVD<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class CompleteOrthogonalDecomposition<MatrixXd>;
extern template class HouseholderQR<MatrixXd>;
extern template class PartialPivLU<MatrixXd>;
extern template class EigenSolver<MatrixXd>;
extern template class RealSchur<MatrixXd>;
extern template class SelfAdjointEigenSolver<MatrixXd>;
extern template class LLT<MatrixXd>;
extern template class LDLT<MatrixXd>;

}  // namespace Eigen
