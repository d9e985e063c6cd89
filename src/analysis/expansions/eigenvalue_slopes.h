// Exact derivatives of the eigenvalues of a steady motion by parameters.
//
// h = f - sum_i a_i Y_i vanishes at the steady state x(p). With orthonormal columns Z (embedded
// numbers) that span the tangent space of the constraints, B = Dh has
//   A = Z^T B Z,     A' = Z^T (B' Z + B Z'),     Z' = -C^+ C' Z
//   B' z = D2 f(z, x') + d/dp Df z - sum_i (a_i D2 Y_i(z, x') + a_i' DY_i z)
// x' and a' from the implicit function theorem (steady_slopes.h), second derivatives from nested
// dual numbers. Neutral directions come first in Z: A = (N M; 0 R), and R has the other
// eigenvalues,
//   R' = A'_22 - X M,     lambda' = l^T R' r / (l^T r)
// where X tells how the neutral directions turn: those of symmetries as their fields do, others by
// R X = X N - A'_21. So nothing is divided by lambda, which may pass through zero.
//
// An m-fold eigenvalue with m independent vectors has as many derivatives as the matrix
// (l^T r)^-1 l^T R' r has eigenvalues. Where they are all equal, that is the derivative; otherwise
// the eigenvalue splits and has none. Where vectors are missing (two eigenvalues meet and turn),
// its change is that of a root, and there is no derivative either.
#pragma once

#include "analysis/expansions/steady_slopes.h"
#include "analysis/linearisation.h"

namespace cartan::analysis {

struct EigenvalueSlope {
  std::string problem;      // why there is none: a sentence
  Eigen::VectorXcd slopes;  // by the parameters
};

class EigenvalueSlopes {
 public:
  // Of the linearisation at a steady motion with these slopes; `curvature` as for those.
  EigenvalueSlopes(const SteadyProblem& problem, const Linearisation& linearisation,
                   const SteadySlopes& motion, StateCurvature& curvature);

  // Of an eigenvalue that is not neutral.
  EigenvalueSlope of(std::complex<double> eigenvalue) const;

 private:
  Eigen::MatrixXd map_;                   // R
  std::vector<Eigen::MatrixXd> changes_;  // R' of each parameter
};

// Those that coincide with this one to rounding, itself included.
std::vector<int> coinciding_eigenvalues(const Linearisation& linearisation, int which);

}  // namespace cartan::analysis
