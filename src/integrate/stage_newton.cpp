#include "integrate/stage_newton.h"

#include "core/dense.h"

namespace cartan::integrate {

StageNewton::StageNewton(const CollocationTableau& tableau, int n, int m)
    : tableau_(tableau),
      s_(tableau.stages),
      n_(n),
      m_(m),
      J_(n, n),
      matrix_(s_ * m, s_ * m),
      step_(s_ * m) {}

void StageNewton::correct(const System& system, std::span<const double> times,
                          std::span<const double> Z, std::span<const int> mode,
                          std::span<const double> F, double h, std::span<double> K,
                          Workspace& workspace) {
  const auto n = static_cast<std::size_t>(n_);
  for (int i = 0; i < s_; ++i) {
    system.jacobian({times[i], Z.subspan(i * n, n), mode}, J_, workspace);
    for (int j = 0; j < s_; ++j)
      matrix_.block(i * m_, j * m_, m_, m_) = -h * tableau_.at(i, j) * J_.topLeftCorner(m_, m_);
    for (int k = 0; k < m_; ++k) step_[i * m_ + k] = F[i * n + k] - K[i * n + k];
  }
  matrix_.diagonal().array() += 1;
  step_ = Eigen::VectorXd(Eigen::PartialPivLU<Eigen::MatrixXd>(matrix_).solve(step_));
  for (int i = 0; i < s_; ++i) {
    for (int k = 0; k < m_; ++k) K[i * n + k] += step_[i * m_ + k];
    for (int k = m_; k < n_; ++k) K[i * n + k] = F[i * n + k];
  }
}

}  // namespace cartan::integrate
