#include "analysis/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "analysis/ceres/minimiser.h"
#include "core/dense.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Unknowns as the minimiser sees them: u = theta / size.
class Scaled {
 public:
  Scaled(const LeastSquaresProblem& problem, int count) : problem_(problem), count_(count) {}

  bool operator()(const double* u, double* residuals, double* jacobian) {
    const Eigen::Index k = problem_.start.size();
    const VectorXd theta = Eigen::Map<const VectorXd>(u, k).cwiseProduct(problem_.size);
    VectorXd r;
    MatrixXd J;
    ++evaluations;
    trouble = problem_.residuals(theta, r, jacobian ? &J : nullptr);
    if (!trouble.empty() || r.size() != count_ || !r.allFinite()) return false;
    Eigen::Map<VectorXd>(residuals, r.size()) = r;
    if (!jacobian) return true;
    if (!J.allFinite()) return false;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(jacobian, r.size(), k) = J * problem_.size.asDiagonal();
    return true;
  }

  int evaluations = 0;
  std::string trouble;  // of the last evaluation

 private:
  const LeastSquaresProblem& problem_;
  const Eigen::Index count_;
};

void find_unknowns_at_bounds(const LeastSquaresProblem& problem, LeastSquaresResult& result) {
  for (int j = 0; j < result.theta.size(); ++j) {
    const double room = 1e-9 * problem.size(j);
    if (result.theta(j) <= problem.lower(j) + room || result.theta(j) >= problem.upper(j) - room)
      result.at_bound.push_back(j);
  }
}

// Covariance and intervals of the unknowns that are free to move, from the exact J at the minimum.
void judge(const LeastSquaresProblem& problem, const MatrixXd& J, LeastSquaresResult& result) {
  constexpr double open = 1e-10;  // singular value over the largest
  const int n = static_cast<int>(J.rows()), all = static_cast<int>(J.cols());
  std::vector<int> inner;
  for (int j = 0; j < all; ++j)
    if (std::find(result.at_bound.begin(), result.at_bound.end(), j) == result.at_bound.end())
      inner.push_back(j);
  const int k = static_cast<int>(inner.size());
  if (k == 0) return;
  const MatrixXd scaled = (J * problem.size.asDiagonal())(Eigen::all, inner);
  const Eigen::JacobiSVD<MatrixXd> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const VectorXd s = svd.singularValues();
  for (int i = 0; i < k; ++i) {
    const double strength = i < s.size() && s(0) > 0 ? s(i) / s(0) : 0;
    if (strength > open) continue;
    VectorXd direction = VectorXd::Zero(all);
    for (int a = 0; a < k; ++a) direction(inner[a]) = svd.matrixV()(a, i);
    result.open.push_back({strength, direction});
  }
  if (!result.open.empty() || n <= k) return;
  const double variance = 2 * result.final_cost / (n - k);
  const MatrixXd half = svd.matrixV() * s.cwiseInverse().asDiagonal();
  const MatrixXd inside = variance * half * half.transpose();
  result.covariance.setZero(all, all);
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < k; ++b)
      result.covariance(inner[a], inner[b]) =
          inside(a, b) * problem.size(inner[a]) * problem.size(inner[b]);
  result.standard_errors = result.covariance.diagonal().cwiseSqrt();
  const double t = student_quantile(0.95, n - k);
  result.interval_low = result.theta - t * result.standard_errors;
  result.interval_high = result.theta + t * result.standard_errors;
}

std::string complain(const PlainSummary& summary, const Scaled& scaled) {
  if (summary.stopped) return "stopped on request";
  if (!scaled.trouble.empty())
    return fmt::format("the model could not be followed near the last values: {}", scaled.trouble);
  return "no values were found that make the residuals smaller";
}

}  // namespace

LeastSquaresResult minimise_squares(const LeastSquaresProblem& problem,
                                    const LeastSquaresOptions& options) {
  LeastSquaresResult result;
  result.theta = problem.start;
  result.problem = problem.residuals(problem.start, result.initial_residuals, nullptr);
  if (!result.problem.empty()) return result;
  result.initial_cost = 0.5 * result.initial_residuals.squaredNorm();

  const int count = static_cast<int>(result.initial_residuals.size());
  Scaled scaled(problem, count);
  VectorXd u = problem.start.cwiseQuotient(problem.size);
  const VectorXd lower = problem.lower.cwiseQuotient(problem.size),
                 upper = problem.upper.cwiseQuotient(problem.size);
  PlainSquares plain;
  plain.residuals = count;
  plain.unknowns = static_cast<int>(u.size());
  plain.evaluate = [&](const double* at, double* r, double* J) { return scaled(at, r, J); };
  plain.lower = lower.data();
  plain.upper = upper.data();
  plain.most_iterations = options.most_iterations;
  plain.tolerance = options.tolerance;
  plain.go_on = [&](int iteration, double cost) {
    if (options.on_iteration) options.on_iteration(iteration, cost);
    return !(options.stop_requested && options.stop_requested->load());
  };
  const PlainSummary summary = minimise_with_ceres(plain, u.data());

  result.theta = u.cwiseProduct(problem.size);
  result.iterations = summary.iterations;
  result.evaluations = scaled.evaluations;
  result.converged = summary.converged;
  MatrixXd J;
  const std::string trouble = problem.residuals(result.theta, result.residuals, &J);
  if (!summary.usable || !trouble.empty()) {
    result.problem = complain(summary, scaled);
    return result;
  }
  result.final_cost = 0.5 * result.residuals.squaredNorm();
  find_unknowns_at_bounds(problem, result);
  judge(problem, J, result);
  return result;
}

}  // namespace cartan
