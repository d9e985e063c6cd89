// What inputs reach and outputs see of a linear system z' = A z + B u, y = C z + D u.
//
// Subspaces come from orthogonal transformations (staircases), not from powers of A. A mode lambda
// is uncontrollable where [A - lambda, B] loses rank (Popov, Belevitch, Hautus): its smallest
// singular value, relative to the matrices, is the mode's margin. Observability is the same of
// (A^T, C^T).
#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

struct ModeMargin {
  std::complex<double> eigenvalue;
  double margin = 0;  // 0: not reached (not seen) at all
};

struct Reach {
  int rank = 0;  // dimension of the controllable subspace
  std::vector<ModeMargin> modes;
};
inline constexpr double margin_tolerance = 1e-9;  // below it a mode counts as not reached

Reach find_controllability(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Reach find_observability(const Eigen::MatrixXd& A, const Eigen::MatrixXd& C);

// Orthonormal basis of { z : C exp(A t) z = 0 for all t }.
Eigen::MatrixXd unobservable_subspace(const Eigen::MatrixXd& A, const Eigen::MatrixXd& C);

// The part of it on which A has eigenvalues on the imaginary axis, itself invariant.
Eigen::MatrixXd neutral_unobservable(const Eigen::MatrixXd& A, const Eigen::MatrixXd& C);

// Transmission zeros: the s at which [A - s, B; C, D] loses rank (Emami-Naeini and Van Dooren's
// reduction). Meaningful for as many inputs as outputs; empty otherwise.
std::vector<std::complex<double>> transmission_zeros(const Eigen::MatrixXd& A,
                                                     const Eigen::MatrixXd& B,
                                                     const Eigen::MatrixXd& C,
                                                     const Eigen::MatrixXd& D);

// Sorted as eigenvalues are told: by real, then imaginary part, descending.
void sort_descending(std::vector<std::complex<double>>& values);

}  // namespace cartan::analysis
