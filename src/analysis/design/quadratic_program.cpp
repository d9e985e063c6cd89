#include "analysis/design/quadratic_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class DualSolver {
 public:
  DualSolver(const MatrixXd& H, const VectorXd& g, const MatrixXd& A, const VectorXd& b,
             int equalities)
      : A_(A), b_(b), equalities_(equalities), llt_(H) {
    result_.d = -llt_.solve(g);
    result_.multipliers = VectorXd::Zero(A.rows());
  }

  QuadraticStep solve() {
    const int most = 50 + 20 * static_cast<int>(A_.rows() + A_.cols());
    for (int k = 0; k < most; ++k) {
      const int p = most_violated();
      if (p < 0) {
        result_.feasible = true;
        for (std::size_t i = 0; i < active_.size(); ++i)
          result_.multipliers(active_[i]) = sign_[i] * u_[i];
        break;
      }
      if (!add(p)) break;
    }
    return std::move(result_);
  }

 private:
  double violation(int i) const {
    const double off = A_.row(i).dot(result_.d) - b_(i);
    return i < equalities_ ? std::fabs(off) : off;
  }
  double tolerance(int i) const {
    return 1e-12 * (1 + std::fabs(b_(i)) + A_.row(i).norm() * result_.d.norm());
  }

  int most_violated() const {
    int worst = -1;
    double most = 0;
    for (int i = 0; i < A_.rows(); ++i) {
      if (std::find(active_.begin(), active_.end(), i) != active_.end()) continue;
      const double off = violation(i) - tolerance(i);
      if (off <= 0 || (off <= most && worst >= 0)) continue;
      worst = i;
      most = off;
      if (i < equalities_) return i;
    }
    return worst;
  }

  // Constraint p becomes active: n.d rises to beta; others leave where they must.
  bool add(int p) {
    const double sign = A_.row(p).dot(result_.d) > b_(p) ? 1 : -1;
    const VectorXd n = -sign * A_.row(p).transpose();
    const double beta = -sign * b_(p);
    double own = 0;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 2 * A_.rows() + 10; ++k) {
      const int m = static_cast<int>(active_.size());
      MatrixXd N(n.size(), m);
      for (int i = 0; i < m; ++i) N.col(i) = -sign_[i] * A_.row(active_[i]).transpose();
      const VectorXd Hn = llt_.solve(n);
      VectorXd r(m), z = Hn;
      if (m > 0) {
        const MatrixXd HN = llt_.solve(N);
        r = Eigen::CompleteOrthogonalDecomposition<MatrixXd>(N.transpose() * HN)
                .solve(N.transpose() * Hn);
        z -= HN * r;
      }
      double dual = infinity;
      int leaves = -1;
      for (int i = 0; i < m; ++i)
        if (active_[i] >= equalities_ && r(i) > 1e-14 && u_[i] / r(i) < dual) {
          dual = u_[i] / r(i);
          leaves = i;
        }
      const double rise = z.dot(n);
      const double primal =
          rise > 1e-14 * std::max(Hn.dot(n), 1e-300) ? (beta - n.dot(result_.d)) / rise : infinity;
      const double t = std::min(dual, primal);
      if (!std::isfinite(t)) return false;
      for (int i = 0; i < m; ++i) u_[i] -= t * r(i);
      own += t;
      if (std::isfinite(primal)) result_.d += t * z;
      if (primal <= dual) {
        active_.push_back(p);
        sign_.push_back(sign);
        u_.push_back(own);
        return true;
      }
      active_.erase(active_.begin() + leaves);
      sign_.erase(sign_.begin() + leaves);
      u_.erase(u_.begin() + leaves);
    }
    return false;
  }

  const MatrixXd& A_;
  const VectorXd& b_;
  int equalities_;
  Eigen::LLT<MatrixXd> llt_;
  QuadraticStep result_;
  std::vector<int> active_;
  std::vector<double> sign_, u_;
};

}  // namespace

QuadraticStep solve_quadratic(const MatrixXd& H, const VectorXd& g, const MatrixXd& A,
                              const VectorXd& b, int equalities) {
  return DualSolver(H, g, A, b, equalities).solve();
}

}  // namespace cartan::analysis
