// The linear-quadratic regulator: u = -K z that minimises the integral of z^T Q z + u^T R u.
//
//   A^T P + P A - P B R^-1 B^T P + Q = 0,   K = R^-1 B^T P
//
// P from the stable invariant subspace of the Hamiltonian matrix [A, -B R^-1 B^T; -Q, -A^T], which
// exists where no eigenvalue lies on the imaginary axis. So neutral directions that the inputs do
// not reach, and neutral ones that Q does not see, are taken out first; their gains are zero.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

struct Regulator {
  std::string problem;  // why there is none: a sentence
  Eigen::MatrixXd K, P;
  std::vector<std::complex<double>> poles;  // of A - B K
  Eigen::MatrixXd unreached;   // columns: neutral directions (of A^T) that no input reaches
  Eigen::MatrixXd unweighted;  // columns: neutral directions that Q does not see
  double residual = 0;         // of the Riccati equation, relative to its terms
};

Regulator solve_regulator(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                          const Eigen::MatrixXd& Q, const Eigen::MatrixXd& R);

}  // namespace cartan::analysis
