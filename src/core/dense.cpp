#include "core/dense.h"

namespace Eigen {

template class JacobiSVD<MatrixXd>;
template class ColPivHouseholderQR<MatrixXd>;
template class CompleteOrthogonalDecomposition<MatrixXd>;
template class HouseholderQR<MatrixXd>;
template class PartialPivLU<MatrixXd>;
template class EigenSolver<MatrixXd>;
template class RealSchur<MatrixXd>;
template class SelfAdjointEigenSolver<MatrixXd>;
template class LLT<MatrixXd>;
template class LDLT<MatrixXd>;

}  // namespace Eigen
