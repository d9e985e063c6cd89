#include "mechanics/forces/sticking.h"

#include <cmath>

#include "core/dense.h"

namespace cartan::mechanics {

// One block of f after the other, each by a step down the gradient and back into its ball. For a
// single component, and where A is the identity, that is its exact minimum.
Eigen::VectorXd calc_least_force(const Eigen::MatrixXd& A, Eigen::VectorXd force,
                                 std::span<const StickingForce> sticking) {
  constexpr int most_rounds = 20000;
  const Eigen::Index n = force.size();
  const Eigen::MatrixXd map = A.size() > 0 ? A : Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd left = map * force;
  if (sticking.empty()) return left;
  std::vector<double> steepest;  // largest eigenvalue of A_b^T A_b
  for (const StickingForce& s : sticking) {
    const Eigen::MatrixXd columns = map.middleCols(s.v0, s.count);
    const Eigen::MatrixXd square = columns.transpose() * columns;
    const Eigen::EigenSolver<Eigen::MatrixXd> eigen(square, false);
    steepest.push_back(eigen.eigenvalues().real().maxCoeff());
  }
  // several elements in one joint: each has a share of its own
  std::vector<Eigen::VectorXd> shares;
  for (const StickingForce& s : sticking) shares.push_back(Eigen::VectorXd::Zero(s.count));
  const double size = 1 + force.cwiseAbs().maxCoeff();
  for (int round = 0; round < most_rounds; ++round) {
    double change = 0;
    for (std::size_t k = 0; k < sticking.size(); ++k) {
      const StickingForce& s = sticking[k];
      if (!(steepest[k] > 0)) continue;
      const auto columns = map.middleCols(s.v0, s.count);
      Eigen::VectorXd next = shares[k] + columns.transpose() * left / steepest[k];
      if (const double length = next.norm(); length > s.limit) next *= s.limit / length;
      left -= columns * (next - shares[k]);
      change = std::max(change, (next - shares[k]).norm());
      shares[k] = next;
    }
    if (change <= 1e-15 * size) break;
  }
  // rounding where friction carries it all
  for (double& x : left)
    if (std::fabs(x) <= 1e-14 * size) x = 0;
  return left;
}

}  // namespace cartan::mechanics
