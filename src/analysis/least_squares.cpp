#include "analysis/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ceres/ceres.h>
#include <fmt/format.h>
#include <Eigen/SVD>

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Unknowns as the minimiser sees them: u = theta / size.
class Residuals final : public ceres::CostFunction {
 public:
  Residuals(const LeastSquaresProblem& problem, int count) : problem_(problem) {
    set_num_residuals(count);
    mutable_parameter_block_sizes()->push_back(static_cast<int>(problem.start.size()));
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const int k = static_cast<int>(problem_.start.size());
    const VectorXd theta = Eigen::Map<const VectorXd>(parameters[0], k).cwiseProduct(problem_.size);
    VectorXd r;
    MatrixXd J;
    const bool wanted = jacobians && jacobians[0];
    ++evaluations;
    problem = problem_.residuals(theta, r, wanted ? &J : nullptr);
    if (!problem.empty() || r.size() != num_residuals() || !r.allFinite()) return false;
    Eigen::Map<VectorXd>(residuals, r.size()) = r;
    if (!wanted) return true;
    if (!J.allFinite()) return false;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(jacobians[0], r.size(), k) = J * problem_.size.asDiagonal();
    return true;
  }

  mutable int evaluations = 0;
  mutable std::string problem;  // of the last evaluation

 private:
  const LeastSquaresProblem& problem_;
};

class Watch final : public ceres::IterationCallback {
 public:
  explicit Watch(const LeastSquaresOptions& options) : options_(options) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    if (options_.on_iteration) options_.on_iteration(summary.iteration, summary.cost);
    const bool stop = options_.stop_requested && options_.stop_requested->load();
    return stop ? ceres::SOLVER_ABORT : ceres::SOLVER_CONTINUE;
  }

 private:
  const LeastSquaresOptions& options_;
};

void set_bounds(const LeastSquaresProblem& problem, ceres::Problem& solver, double* u) {
  for (int j = 0; j < problem.start.size(); ++j) {
    if (std::isfinite(problem.lower(j)))
      solver.SetParameterLowerBound(u, j, problem.lower(j) / problem.size(j));
    if (std::isfinite(problem.upper(j)))
      solver.SetParameterUpperBound(u, j, problem.upper(j) / problem.size(j));
  }
}

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

std::string complain(const ceres::Solver::Summary& summary, const Residuals& cost) {
  if (summary.termination_type == ceres::USER_FAILURE) return "stopped on request";
  if (!cost.problem.empty())
    return fmt::format("the model could not be followed near the last values: {}", cost.problem);
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

  VectorXd u = problem.start.cwiseQuotient(problem.size);
  auto* cost = new Residuals(problem, static_cast<int>(result.initial_residuals.size()));
  ceres::Problem solver;  // owns the cost function
  solver.AddResidualBlock(cost, nullptr, u.data());
  set_bounds(problem, solver, u.data());
  ceres::Solver::Options choice;
  choice.linear_solver_type = ceres::DENSE_QR;
  choice.max_num_iterations = options.most_iterations;
  choice.function_tolerance = choice.parameter_tolerance = options.tolerance;
  choice.gradient_tolerance = 1e-300;
  choice.max_num_consecutive_invalid_steps = 20;
  choice.logging_type = ceres::SILENT;
  choice.num_threads = 1;
  Watch watch(options);
  choice.callbacks.push_back(&watch);
  ceres::Solver::Summary summary;
  ceres::Solve(choice, &solver, &summary);

  result.theta = u.cwiseProduct(problem.size);
  result.iterations = static_cast<int>(summary.iterations.size()) - 1;
  result.evaluations = cost->evaluations;
  result.converged = summary.termination_type == ceres::CONVERGENCE;
  MatrixXd J;
  const std::string trouble = problem.residuals(result.theta, result.residuals, &J);
  if (!summary.IsSolutionUsable() || !trouble.empty()) {
    result.problem = complain(summary, *cost);
    return result;
  }
  result.final_cost = 0.5 * result.residuals.squaredNorm();
  find_unknowns_at_bounds(problem, result);
  judge(problem, J, result);
  return result;
}

}  // namespace cartan
