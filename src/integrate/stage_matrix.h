// (1 - h A (x) J - h^2 A^2 (x) P) dK = r for the stages of a collocation method, without a matrix
// of size s n.
//
// A = T L T^-1 with L diagonal (complex pairs, one real entry when s is odd):
//   dK = (T (x) 1) diag((1 - h l J - h^2 l^2 P)^-1) (T^-1 (x) 1) r,
// so one factorisation of size n per pair of eigenvalues, complex, or real for the real one.
#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>

#include "integrate/tableau.h"
#include "system/stage_solver.h"

namespace cartan::integrate {

class StageMatrix {
 public:
  StageMatrix(const CollocationTableau& tableau, int n);
  ~StageMatrix();

  // P of size zero: none.
  void factorise(const Eigen::Ref<const Eigen::MatrixXd>& J,
                 const Eigen::Ref<const Eigen::MatrixXd>& P, double h);
  // The same by a System that has factors of its own for J and P; the workspace keeps them.
  void factorise(const StageSolver& solver, double h, Workspace& workspace);
  // r and dK: s blocks, the first n numbers of each block of `stride` are used; may be the same.
  void solve(std::span<const double> r, std::span<double> dK, int stride);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cartan::integrate
