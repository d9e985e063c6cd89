#include "analysis/control/structure.h"

#include <algorithm>
#include <cmath>

#include "analysis/control/ordered_schur.h"
#include "analysis/null_space.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

constexpr double staircase_share = 1e-10;  // of the norms: below it a direction is not reached
constexpr double axis_share = 1e-6;        // real parts that count as none: double zeros split so

double pencil_size(const MatrixXd& A, const MatrixXd& B) {
  return std::max({A.size() > 0 ? A.norm() : 0, B.size() > 0 ? B.norm() : 0, 1e-300});
}

// Eigenvalues with their margins; double eigenvalues are told twice.
std::vector<ModeMargin> calc_margins(const MatrixXd& A, const MatrixXd& B) {
  std::vector<ModeMargin> modes;
  const Eigen::Index n = A.rows();
  if (n == 0) return modes;
  const Eigen::VectorXcd values = Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues();
  std::vector<Complex> sorted(values.begin(), values.end());
  sort_descending(sorted);
  for (const Complex value : sorted) {
    MatrixXcd pencil(n, n + B.cols());
    pencil << A.cast<Complex>() - value * MatrixXcd::Identity(n, n), B.cast<Complex>();
    const Eigen::JacobiSVD<MatrixXcd> svd(pencil);
    modes.push_back({value, svd.singularValues()(n - 1) / pencil_size(A, B)});
  }
  return modes;
}

// Rows of [C D] turned so that D's last rows vanish, then states that C's last rows see are taken
// out, until they see none.
void reduce_pencil(MatrixXd& A, MatrixXd& B, MatrixXd& C, MatrixXd& D, double size) {
  while (true) {
    const Eigen::Index p = D.rows(), m = D.cols(), n = A.rows();
    if (p == 0) return;
    Eigen::ColPivHouseholderQR<MatrixXd> rows(D);
    Eigen::Index rank = 0;
    const Eigen::Index most = std::min(p, m);
    while (rank < most && std::fabs(rows.matrixQR()(rank, rank)) > staircase_share * size) ++rank;
    if (rank == p) return;
    const MatrixXd U = rows.householderQ();
    C = U.transpose() * C;
    D = U.transpose() * D;
    D.bottomRows(p - rank).setZero();
    const MatrixXd C2 = C.bottomRows(p - rank);
    if (n == 0) {
      C = C.topRows(rank).eval();
      D = D.topRows(rank).eval();
      return;
    }
    const MatrixXd seen = column_space_above(C2.transpose(), staircase_share * size);
    const Eigen::Index k = seen.cols();
    if (k == 0) {
      C = C.topRows(rank).eval();
      D = D.topRows(rank).eval();
      return;
    }
    MatrixXd V(n, n);
    V << complement(seen), seen;
    A = V.transpose() * A * V;
    B = V.transpose() * B;
    C = C.topRows(rank) * V;
    const Eigen::Index r = n - k;
    MatrixXd C_next(rank + k, r), D_next(rank + k, m);
    C_next << C.leftCols(r), A.bottomLeftCorner(k, r);
    D_next << D.topRows(rank), B.bottomRows(k);
    const MatrixXd A_next = A.topLeftCorner(r, r), B_next = B.topRows(r);
    A = A_next, B = B_next, C = C_next, D = D_next;
  }
}

}  // namespace

void sort_descending(std::vector<Complex>& values) {
  std::stable_sort(values.begin(), values.end(), [](Complex x, Complex y) {
    return x.real() != y.real() ? x.real() > y.real() : x.imag() > y.imag();
  });
}

MatrixXd column_space_above(const MatrixXd& A, double limit) {
  const Eigen::Index n = A.rows();
  if (n == 0 || A.cols() == 0) return MatrixXd(n, 0);
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeThinU);
  Eigen::Index rank = 0;
  while (rank < svd.singularValues().size() && svd.singularValues()(rank) > limit) ++rank;
  return svd.matrixU().leftCols(rank);
}

MatrixXd unobservable_subspace(const MatrixXd& A, const MatrixXd& C) {
  const Eigen::Index n = A.rows();
  const double size = pencil_size(A, C);
  MatrixXd V = C.rows() > 0 ? null_space_below(C, staircase_share * size)
                            : MatrixXd(MatrixXd::Identity(n, n));
  // those of V that A keeps in V
  while (V.cols() > 0) {
    const MatrixXd out = A * V - V * (V.transpose() * A * V);
    const MatrixXd kept = null_space_below(out, staircase_share * size);
    if (kept.cols() == V.cols()) break;
    V = (V * kept).eval();
  }
  return V;
}

MatrixXd neutral_unobservable(const MatrixXd& A, const MatrixXd& C) {
  const MatrixXd V = unobservable_subspace(A, C);
  if (V.cols() == 0) return V;
  const double axis = axis_share * std::max(1.0, A.norm());
  const InvariantSubspace neutral = invariant_subspace(
      V.transpose() * A * V, [&](Complex value) { return std::fabs(value.real()) < axis; });
  if (neutral.basis.cols() == 0) return MatrixXd(A.rows(), 0);
  // real: the subspace is closed under conjugation
  MatrixXd parts(neutral.basis.rows(), 2 * neutral.basis.cols());
  parts << neutral.basis.real(), neutral.basis.imag();
  return V * column_space_above(parts, 1e-8);
}

Reach find_controllability(const MatrixXd& A, const MatrixXd& B) {
  Reach reach;
  const int n = static_cast<int>(A.rows());
  reach.rank = n - static_cast<int>(unobservable_subspace(A.transpose(), B.transpose()).cols());
  reach.modes = calc_margins(A, B);
  return reach;
}

Reach find_observability(const MatrixXd& A, const MatrixXd& C) {
  return find_controllability(A.transpose(), C.transpose());
}

std::vector<Complex> transmission_zeros(const MatrixXd& A0, const MatrixXd& B0, const MatrixXd& C0,
                                        const MatrixXd& D0) {
  std::vector<Complex> zeros;
  if (B0.cols() != C0.rows() || B0.cols() == 0) return zeros;
  const double size =
      std::max({1e-300, A0.size() > 0 ? A0.norm() : 0, B0.norm(), C0.norm(), D0.norm()});
  MatrixXd A = A0, B = B0, C = C0, D = D0;
  reduce_pencil(A, B, C, D, size);
  // the dual: more inputs than rows that are left
  if (D.rows() < D.cols()) {
    MatrixXd At = A.transpose(), Bt = C.transpose(), Ct = B.transpose(), Dt = D.transpose();
    reduce_pencil(At, Bt, Ct, Dt, size);
    A = At.transpose(), B = Ct.transpose(), C = Bt.transpose(), D = Dt.transpose();
  }
  if (A.rows() == 0) return zeros;
  if (D.rows() != D.cols() || D.rows() == 0) return zeros;  // singular for all s
  const MatrixXd Z = A - B * Eigen::PartialPivLU<MatrixXd>(D).solve(C);
  const Eigen::VectorXcd values = Eigen::EigenSolver<MatrixXd>(Z, false).eigenvalues();
  zeros.assign(values.begin(), values.end());
  sort_descending(zeros);
  return zeros;
}

}  // namespace cartan::analysis
