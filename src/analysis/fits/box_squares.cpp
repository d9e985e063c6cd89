// Stark and Parker's active sets: some unknowns are held at a bound, the others solve the plain
// problem. A solution that leaves the box is approached until the first unknown meets its bound,
// which is held from then on; a held unknown whose gradient points inward is let go.
#include "analysis/fits/box_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class BoxSolver {
 public:
  BoxSolver(const MatrixXd& A, const VectorXd& b, const VectorXd& low, const VectorXd& high)
      : A_(A), b_(b), low_(low), high_(high), x_(A.cols()), held_(A.cols(), 0) {
    for (int j = 0; j < x_.size(); ++j) x_(j) = std::clamp(0.0, low(j), high(j));
  }

  VectorXd solve() {
    const int most = 20 * static_cast<int>(x_.size()) + 20;  // rounding could make it go round
    for (int k = 0; k < most; ++k) {
      while (!reach_free_solution()) {
      }
      if (!let_go()) break;
    }
    return x_;
  }

 private:
  // True when the free unknowns are at their solution, false when one more is held.
  bool reach_free_solution() {
    std::vector<int> free;
    for (int j = 0; j < x_.size(); ++j)
      if (held_[j] == 0) free.push_back(j);
    if (free.empty()) return true;
    const MatrixXd columns = A_(Eigen::all, free);
    const VectorXd change =
        Eigen::ColPivHouseholderQR<MatrixXd>(columns).solve(VectorXd(b_ - A_ * x_));
    double part = 1;
    int first = -1;
    for (std::size_t i = 0; i < free.size(); ++i) {
      const int j = free[i];
      const double d = change(static_cast<int>(i)), bound = d > 0 ? high_(j) : low_(j);
      if (d == 0 || (bound - x_(j)) / d >= part) continue;
      part = std::max((bound - x_(j)) / d, 0.0);
      first = j;
    }
    for (std::size_t i = 0; i < free.size(); ++i) x_(free[i]) += part * change(static_cast<int>(i));
    if (first < 0) return true;
    held_[first] = change(std::find(free.begin(), free.end(), first) - free.begin()) > 0 ? 1 : -1;
    x_(first) = held_[first] > 0 ? high_(first) : low_(first);
    return false;
  }

  // The held unknown that would gain most inside the box becomes free; false: none would.
  bool let_go() {
    const VectorXd rest = b_ - A_ * x_;
    int best = -1;
    double gain = 1e-12 * rest.norm();
    for (int j = 0; j < x_.size(); ++j) {
      if (held_[j] == 0 || low_(j) == high_(j)) continue;
      const double inward = -held_[j] * A_.col(j).dot(rest) / A_.col(j).norm();
      if (inward <= gain) continue;
      gain = inward;
      best = j;
    }
    if (best >= 0) held_[best] = 0;
    return best >= 0;
  }

  const MatrixXd& A_;
  const VectorXd &b_, &low_, &high_;
  VectorXd x_;
  std::vector<int> held_;  // -1: at low, 1: at high, 0: free
};

}  // namespace

VectorXd solve_in_box(const MatrixXd& A, const VectorXd& b, const VectorXd& low,
                      const VectorXd& high) {
  return BoxSolver(A, b, low, high).solve();
}

}  // namespace cartan::analysis
