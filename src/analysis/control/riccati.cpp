#include "analysis/control/riccati.h"

#include <cmath>

#include <fmt/format.h>

#include "analysis/control/ordered_schur.h"
#include "analysis/control/structure.h"
#include "analysis/null_space.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

// X with A^T X + X A + W = 0: by the complex Schur form of A, column by column.
MatrixXd solve_lyapunov(const MatrixXd& A, const MatrixXd& W) {
  const int n = static_cast<int>(A.rows());
  const Eigen::ComplexSchur<MatrixXcd> schur(A.cast<Complex>());
  const MatrixXcd &T = schur.matrixT(), &U = schur.matrixU();
  const MatrixXcd F = -(U.adjoint() * W.cast<Complex>() * U);
  MatrixXcd Y = MatrixXcd::Zero(n, n);
  for (int j = 0; j < n; ++j) {
    Eigen::VectorXcd right = F.col(j);
    if (j > 0) right -= Y.leftCols(j) * T.col(j).head(j);
    MatrixXcd L = T.adjoint();
    L.diagonal().array() += T(j, j);
    Y.col(j) = L.triangularView<Eigen::Lower>().solve(right);
  }
  return (U * Y * U.adjoint()).real();
}

MatrixXd riccati_residual(const MatrixXd& A, const MatrixXd& G, const MatrixXd& Q,
                          const MatrixXd& P) {
  return A.transpose() * P + P * A - P * G * P + Q;
}

// The stabilising solution; empty where the subspace has another size or no inverse.
MatrixXd solve_riccati(const MatrixXd& A, const MatrixXd& G, const MatrixXd& Q) {
  const Eigen::Index n = A.rows();
  MatrixXd H(2 * n, 2 * n);
  H << A, -G, -Q, -A.transpose();
  const InvariantSubspace stable =
      invariant_subspace(H, [](Complex value) { return value.real() < 0; });
  if (stable.basis.cols() != n) return {};
  const Eigen::FullPivLU<MatrixXcd> lu(stable.basis.topRows(n).transpose());
  if (!(lu.rcond() > 1e-14)) return {};
  MatrixXd P = lu.solve(stable.basis.bottomRows(n).transpose()).transpose().real();
  P = 0.5 * (P + P.transpose()).eval();
  // Newton's method (Kleinman) takes off the rounding of the subspace
  for (int k = 0; k < 3; ++k) {
    const MatrixXd r = riccati_residual(A, G, Q, P);
    const MatrixXd change = solve_lyapunov(A - G * P, r);
    if (!change.allFinite()) break;
    const MatrixXd next = P + 0.5 * (change + change.transpose());
    if (!(riccati_residual(A, G, Q, next).norm() < r.norm())) break;
    P = next;
  }
  return P;
}

bool is_definite(const MatrixXd& S, double least) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(S, Eigen::EigenvaluesOnly);
  return S.rows() == 0 || solver.eigenvalues()(0) >= least * std::max(1e-300, S.norm());
}

}  // namespace

Regulator solve_regulator(const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q,
                          const MatrixXd& R) {
  Regulator result;
  const Eigen::Index n = A.rows();
  result.unreached = result.unweighted = MatrixXd(n, 0);
  if (!is_definite(R, 1e-14) || R.norm() == 0)
    result.problem = "the weight of the inputs must be positive definite";
  else if (!is_definite(Q, -1e-12))
    result.problem = "the weight of the states must be positive semidefinite";
  if (!result.problem.empty()) return result;
  result.unreached = neutral_unobservable(A.transpose(), B.transpose());
  // z = Z c + what no input reaches
  MatrixXd Z = complement(result.unreached);
  if (result.unreached.cols() == 0) Z = MatrixXd::Identity(n, n);
  const MatrixXd Az = Z.transpose() * A * Z, Bz = Z.transpose() * B, Qz = Z.transpose() * Q * Z;
  const MatrixXd unseen = neutral_unobservable(Az, Qz);
  result.unweighted = Z * unseen;
  const MatrixXd V =
      unseen.cols() == 0 ? MatrixXd(MatrixXd::Identity(Az.rows(), Az.rows())) : complement(unseen);
  const MatrixXd a = V.transpose() * Az * V, b = V.transpose() * Bz, q = V.transpose() * Qz * V;
  const MatrixXd inverse_R = R.ldlt().solve(MatrixXd::Identity(R.rows(), R.cols()));
  const MatrixXd G = b * inverse_R * b.transpose();
  const MatrixXd p = a.rows() > 0 ? solve_riccati(a, G, q) : MatrixXd(0, 0);
  const bool stabilises =
      a.rows() == 0 ||
      (p.size() > 0 && p.allFinite() &&
       Eigen::EigenSolver<MatrixXd>(MatrixXd(a - G * p), false).eigenvalues().real().maxCoeff() <
           0);
  if (!stabilises) {
    std::string modes;
    for (const ModeMargin& mode : find_controllability(a, b).modes)
      if (mode.margin < margin_tolerance && mode.eigenvalue.real() >= 0)
        modes += fmt::format(" {:.6g}{:+.6g}i", mode.eigenvalue.real(), mode.eigenvalue.imag());
    result.problem = modes.empty()
                         ? "the Riccati equation has no stabilising solution: weights leave a "
                           "motion on the border of stability"
                         : "no input reaches the unstable modes" + modes;
    return result;
  }
  const MatrixXd whole = Z * V;
  result.P = whole * p * whole.transpose();
  result.K = inverse_R * b.transpose() * p * whole.transpose();
  const double size =
      q.norm() + (p.size() > 0 ? (p * G * p).norm() + (a.transpose() * p).norm() : 0);
  result.residual = p.size() > 0 ? riccati_residual(a, G, q, p).norm() / std::max(1e-300, size) : 0;
  const Eigen::VectorXcd poles =
      Eigen::EigenSolver<MatrixXd>(MatrixXd(A - B * result.K), false).eigenvalues();
  result.poles.assign(poles.begin(), poles.end());
  sort_descending(result.poles);
  if (!result.K.allFinite()) result.problem = "the gains are not finite";
  return result;
}

}  // namespace cartan::analysis
