// Newton's method for the stages of a collocation method with the Jacobian of every stage, all in
// one matrix of size s m:
//
//   dK_i - h J_i sum_j a_ij dK_j = f(t_i, Z_i) - K_i
//
// The last resort: it takes O((s m)^3). One Jacobian for all stages (stage_matrix.h) leaves
// 1 - l_i / l of what decays at the rate l_i at stage i and at l in the matrix. Where l changes by
// a factor within a step (friction of what has just begun to slide decays across the sliding at
// mu N / (m u), and u grows from zero), that does not converge.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "integrate/tableau.h"
#include "system/system.h"

namespace cartan::integrate {

class StageNewton {
 public:
  static constexpr int most_rows = 1500;

  // Stages of n numbers, of which the first m decide.
  StageNewton(const CollocationTableau& tableau, int n, int m);
  // K <- K + dK with the Jacobians at the points Z and f there in F; the rest of K is F.
  void correct(const System& system, std::span<const double> times, std::span<const double> Z,
               std::span<const int> mode, std::span<const double> F, double h, std::span<double> K,
               Workspace& workspace);

 private:
  const CollocationTableau& tableau_;
  const int s_, n_, m_;
  Eigen::MatrixXd J_, matrix_;
  Eigen::VectorXd step_;
};

}  // namespace cartan::integrate
