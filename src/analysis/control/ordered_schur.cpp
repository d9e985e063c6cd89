#include "analysis/control/ordered_schur.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Jacobi>

namespace cartan::analysis {

InvariantSubspace invariant_subspace(const Eigen::MatrixXd& A,
                                     const std::function<bool(std::complex<double>)>& chosen) {
  using Complex = std::complex<double>;
  const Eigen::ComplexSchur<Eigen::MatrixXcd> schur(A.cast<Complex>());
  Eigen::MatrixXcd T = schur.matrixT(), U = schur.matrixU();
  const int n = static_cast<int>(T.rows());
  std::vector<char> wanted(n);
  for (int i = 0; i < n; ++i) wanted[i] = chosen(T(i, i));
  int first = 0;
  for (int i = 0; i < n; ++i) {
    if (!wanted[i]) continue;
    for (int k = i; k > first; --k) {
      // the eigenvector (T12, t22 - t11) of the 2 x 2 block becomes its first direction
      Eigen::JacobiRotation<Complex> turn;
      turn.makeGivens(T(k - 1, k), T(k, k) - T(k - 1, k - 1));
      T.applyOnTheLeft(k - 1, k, turn.adjoint());
      T.applyOnTheRight(k - 1, k, turn);
      U.applyOnTheRight(k - 1, k, turn);
      T(k, k - 1) = 0;
      std::swap(wanted[k - 1], wanted[k]);
    }
    ++first;
  }
  return {U.leftCols(first)};
}

}  // namespace cartan::analysis
