#include "analysis/confidence.h"

#include <algorithm>
#include <cmath>

#include "analysis/box_squares.h"
#include "core/dense.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// P(v) - min P of the header, in units u = d / size:  |r + J d|^2 = |c + R u|^2 + const.
class Profile {
 public:
  Profile(const MatrixXd& R, const VectorXd& c, const VectorXd& low, const VectorXd& high)
      : R_(R), c_(c), low_(low), high_(high), best_(solve_in_box(R, -c, low, high)) {
    least_ = (c_ + R_ * best_).squaredNorm();
  }

  // The place on one side (+1, -1) of the best u_j where the profile has risen by `rise`, or the
  // bound. `reach` is how far that is without bounds: they only make the profile steeper, so this
  // is an upper limit, and Newton's method from there on the convex profile never passes the root.
  double end(int j, int side, double rise, double reach) const {
    double u =
        side > 0 ? std::min(best_(j) + reach, high_(j)) : std::max(best_(j) - reach, low_(j));
    for (int k = 0; k < 60; ++k) {
      double slope = 0;
      const double above = value(j, u, slope) - rise;
      if (above <= 1e-9 * rise || slope * side <= 0) break;
      u -= above / slope;
    }
    return side > 0 ? std::max(u, best_(j)) : std::min(u, best_(j));
  }

 private:
  double value(int j, double u, double& slope) const {
    const int k = static_cast<int>(R_.cols());
    std::vector<int> others;
    for (int i = 0; i < k; ++i)
      if (i != j) others.push_back(i);
    VectorXd rest = c_ + R_.col(j) * u;
    if (!others.empty()) {
      const MatrixXd A = R_(Eigen::all, others);
      rest += A * solve_in_box(A, -rest, low_(others), high_(others));
    }
    slope = 2 * R_.col(j).dot(rest);  // the others are optimal: their change adds nothing
    return rest.squaredNorm() - least_;
  }

  const MatrixXd& R_;
  const VectorXd& c_;
  VectorXd low_, high_, best_;
  double least_;
};

void find_open(const Eigen::JacobiSVD<MatrixXd>& svd, int k, Confidence& result) {
  constexpr double open = 1e-10;  // singular value over the largest
  const VectorXd& s = svd.singularValues();
  for (int i = 0; i < k; ++i) {
    const double strength = i < s.size() && s(0) > 0 ? s(i) / s(0) : 0;
    if (!(strength > open)) result.open.push_back({strength, svd.matrixV().col(i)});
  }
}

}  // namespace

Confidence judge(const Minimum& m) {
  Confidence result;
  const int n = static_cast<int>(m.J.rows()), k = static_cast<int>(m.J.cols());
  const MatrixXd J = m.J * m.size.asDiagonal();
  const Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeFullV);
  find_open(svd, k, result);
  if (!result.open.empty() || n <= k) return result;

  const double variance = m.r.squaredNorm() / (n - k);
  const MatrixXd half = svd.matrixV() * svd.singularValues().cwiseInverse().asDiagonal();
  const MatrixXd inverse = half * half.transpose();
  result.covariance = variance * (m.size.asDiagonal() * inverse * m.size.asDiagonal());
  result.standard_errors = result.covariance.diagonal().cwiseSqrt();

  const MatrixXd R = svd.singularValues().asDiagonal() * svd.matrixV().transpose();
  const VectorXd c = svd.matrixU().transpose() * m.r;
  const VectorXd low = (m.lower - m.theta).cwiseQuotient(m.size).cwiseMin(0),
                 high = (m.upper - m.theta).cwiseQuotient(m.size).cwiseMax(0);
  const Profile profile(R, c, low, high);
  const double t = student_quantile(0.95, n - k), rise = t * t * variance;
  result.interval_low.resize(k);
  result.interval_high.resize(k);
  for (int j = 0; j < k; ++j) {
    const double reach = std::sqrt(rise * inverse(j, j));
    const double below = m.size(j) * profile.end(j, -1, rise, reach),
                 above = m.size(j) * profile.end(j, 1, rise, reach);
    result.interval_low(j) = std::max(m.theta(j) + below, m.lower(j));
    result.interval_high(j) = std::min(m.theta(j) + above, m.upper(j));
  }
  return result;
}

}  // namespace cartan
