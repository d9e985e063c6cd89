#include "analysis/fits/confidence.h"

#include <algorithm>
#include <cmath>

#include "analysis/fits/box_squares.h"
#include "core/dense.h"

namespace cartan::analysis {
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
  // bound, with the others where they are best. `reach` is how far that is without bounds: they
  // only make the profile steeper, so this is an upper limit, and Newton's method from there on the
  // convex profile never passes the root.
  VectorXd end(int j, int side, double rise, double reach) const {
    VectorXd u = best_;
    u(j) = side > 0 ? std::min(best_(j) + reach, high_(j)) : std::max(best_(j) - reach, low_(j));
    for (int k = 0; k < 60; ++k) {
      double slope = 0;
      const double above = put_others(j, u, slope) - rise;
      if (above <= 1e-9 * rise || slope * side <= 0) break;
      u(j) -= above / slope;
    }
    u(j) = side > 0 ? std::max(u(j), best_(j)) : std::min(u(j), best_(j));
    return u;
  }

  double rise(const VectorXd& u) const { return (c_ + R_ * u).squaredNorm() - least_; }

 private:
  // The others where they are best for this u_j; P(u_j) - min P and its slope.
  double put_others(int j, VectorXd& u, double& slope) const {
    std::vector<int> others;
    for (int i = 0; i < u.size(); ++i)
      if (i != j) others.push_back(i);
    VectorXd rest = c_ + R_.col(j) * u(j);
    if (!others.empty()) {
      const MatrixXd A = R_(Eigen::all, others);
      const VectorXd best = solve_in_box(A, -rest, low_(others), high_(others));
      rest += A * best;
      u(others) = best;
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

Confidence judge(const LeastSquaresMinimum& m) {
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
    const auto end = [&](int side) {
      const VectorXd u = profile.end(j, side, rise, reach);
      const VectorXd theta = m.theta + u.cwiseProduct(m.size);
      return IntervalEnd{theta.cwiseMax(m.lower).cwiseMin(m.upper), profile.rise(u)};
    };
    result.low_ends.push_back(end(-1));
    result.high_ends.push_back(end(1));
    result.interval_low(j) = result.low_ends.back().theta(j);
    result.interval_high(j) = result.high_ends.back().theta(j);
  }
  return result;
}

}  // namespace cartan::analysis
