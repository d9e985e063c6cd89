#include "analysis/fits/least_squares.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/fits/box_squares.h"
#include "analysis/fits/ceres/minimiser.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Unknowns as the minimiser sees them: u = theta / size.
class Descent {
 public:
  Descent(const LeastSquaresProblem& problem, const LeastSquaresOptions& options, int count)
      : problem_(problem),
        options_(options),
        count_(count),
        u_(problem.start.cwiseQuotient(problem.size)),
        lower_(problem.lower.cwiseQuotient(problem.size)),
        upper_(problem.upper.cwiseQuotient(problem.size)) {}

  // Rounds: towards bounds by Gauss-Newton steps in the box, elsewhere by Ceres.
  void run() {
    while (look() && !stop()) {
      const VectorXd d = step_in_box();
      bool cut = false;
      if (meets_bounds(d)) {
        if (is_small(d)) {
          converged = true;
          return;
        }
        if (walk(d)) continue;
        cut = true;  // too curved for this step: the damped ones of Ceres, cut at the bounds
      }
      const PlainSummary summary = descend(cut);
      converged = summary.converged;
      usable = summary.usable;
      stopped = summary.given_up;
      if (!summary.enough) return;
    }
  }

  VectorXd theta() const { return u_.cwiseProduct(problem_.size); }

  int iterations = 0, evaluations = 0;
  bool usable = false, stopped = false, converged = false;
  std::string trouble;  // of the last evaluation

 private:
  bool stop() {
    stopped = options_.stop_requested && options_.stop_requested->load();
    usable = !stopped;
    return stopped || iterations >= options_.most_iterations;
  }

  bool evaluate(const VectorXd& u, VectorXd& r, MatrixXd* J) {
    ++evaluations;
    trouble = problem_.residuals(u.cwiseProduct(problem_.size), r, J);
    if (!trouble.empty() || r.size() != count_ || !r.allFinite()) return false;
    if (!J) return true;
    *J = *J * problem_.size.asDiagonal();
    return J->allFinite();
  }

  // Residuals and derivatives at u_; false: there are none.
  bool look() {
    if (known_at_.size() == 0 || known_at_ != u_) {
      usable = evaluate(u_, r_, &J_);
      known_at_ = u_;
    }
    return usable;
  }

  // The minimum of the linearised problem in the box, from where derivatives are known.
  VectorXd step_in_box() const {
    return solve_in_box(J_, -r_, lower_ - known_at_, upper_ - known_at_);
  }
  bool meets_bounds(const VectorXd& d) const {
    return ((known_at_ + d).array() <= lower_.array()).any() ||
           ((known_at_ + d).array() >= upper_.array()).any();
  }
  // The fall of the cost that the linearised problem promises.
  double promise(const VectorXd& d) const {
    return 0.5 * (r_.squaredNorm() - (r_ + J_ * d).squaredNorm());
  }
  bool is_small(const VectorXd& d) const {
    return promise(d) <= options_.tolerance * 0.5 * r_.squaredNorm() ||
           d.norm() <= options_.tolerance * (u_.norm() + options_.tolerance);
  }

  // Along d as far as the cost falls. All of it stays in the box, which is convex.
  bool walk(const VectorXd& d) {
    const double cost = 0.5 * r_.squaredNorm(), promised = promise(d);
    VectorXd r;
    for (double part = 1; part > 0.02; part /= 2) {
      const VectorXd u = (u_ + part * d).cwiseMax(lower_).cwiseMin(upper_);
      if (!evaluate(u, r, nullptr) || 0.5 * r.squaredNorm() > cost - 1e-3 * part * promised)
        continue;
      u_ = u;
      ++iterations;
      if (options_.on_iteration) options_.on_iteration(iterations, 0.5 * r.squaredNorm());
      return true;
    }
    return false;
  }

  // Ceres from u_, to the minimum or to where a step meets bounds.
  PlainSummary descend(bool cut_at_bounds) {
    PlainSquares plain;
    plain.residuals = count_;
    plain.unknowns = static_cast<int>(u_.size());
    plain.evaluate = [&](const double* at, double* r, double* J) { return give(at, r, J); };
    plain.lower = lower_.data();
    plain.upper = upper_.data();
    plain.most_iterations = options_.most_iterations - iterations;
    plain.tolerance = options_.tolerance;
    plain.judge = [&, before = iterations](int iteration, double cost) {
      iterations = before + iteration;
      if (options_.on_iteration) options_.on_iteration(iterations, cost);
      if (options_.stop_requested && options_.stop_requested->load()) return PlainVerdict::give_up;
      return !cut_at_bounds && meets_bounds(step_in_box()) ? PlainVerdict::enough
                                                           : PlainVerdict::go_on;
    };
    return minimise_with_ceres(plain, u_.data());
  }

  bool give(const double* at, double* residuals, double* jacobian) {
    const VectorXd u = Eigen::Map<const VectorXd>(at, u_.size());
    VectorXd r;
    if (!jacobian) {
      if (!evaluate(u, r, nullptr)) return false;
    } else {
      if (known_at_ != u && !evaluate(u, r_, &J_)) return false;
      known_at_ = u;
      r = r_;
      using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      Eigen::Map<RowMajor>(jacobian, count_, u_.size()) = J_;
    }
    Eigen::Map<VectorXd>(residuals, count_) = r;
    return true;
  }

  const LeastSquaresProblem& problem_;
  const LeastSquaresOptions& options_;
  const int count_;  // of residuals
  VectorXd u_, lower_, upper_;
  // residuals and derivatives where they were last wanted
  VectorXd known_at_, r_;
  MatrixXd J_;
};

void find_unknowns_at_bounds(const LeastSquaresProblem& problem, LeastSquaresResult& result) {
  for (int j = 0; j < result.theta.size(); ++j) {
    const double room = 1e-9 * problem.size(j);
    if (result.theta(j) <= problem.lower(j) + room || result.theta(j) >= problem.upper(j) - room)
      result.at_bound.push_back(j);
  }
}

// The rise of the true sum of squares at the ends of the intervals against what was taken for it.
// Rises so small that the simulation's own errors would show are passed over.
void measure_curvature(const LeastSquaresProblem& problem, LeastSquaresResult& result) {
  constexpr double visible = 1e-8;
  result.curvature.setZero(static_cast<Eigen::Index>(result.low_ends.size()));
  const double least = result.residuals.squaredNorm();
  VectorXd r;
  const auto look = [&](int j, const IntervalEnd& end) {
    if (end.rise < visible || !problem.residuals(end.theta, r, nullptr).empty()) return;
    const double ratio = (r.squaredNorm() - least) / end.rise;
    const double off = ratio > 0 ? std::max(ratio, 1 / ratio) : INFINITY;
    result.curvature(j) = std::max(result.curvature(j), off);
  };
  for (int j = 0; j < result.curvature.size(); ++j) {
    look(j, result.low_ends[j]);
    look(j, result.high_ends[j]);
  }
}

std::string complain(const Descent& descent) {
  if (descent.stopped) return "stopped on request";
  if (!descent.trouble.empty())
    return fmt::format("the model could not be followed near the last values: {}", descent.trouble);
  return "no values were found that make the residuals smaller";
}

}  // namespace

LeastSquaresResult minimise_squares(const LeastSquaresProblem& problem,
                                    const LeastSquaresOptions& options) {
  LeastSquaresResult result;
  result.theta = problem.start;
  result.problem = find_missing_minimiser();
  if (!result.problem.empty()) return result;
  result.problem = problem.residuals(problem.start, result.initial_residuals, nullptr);
  if (!result.problem.empty()) return result;
  result.initial_cost = 0.5 * result.initial_residuals.squaredNorm();

  Descent descent(problem, options, static_cast<int>(result.initial_residuals.size()));
  descent.run();
  result.theta = descent.theta();
  result.iterations = descent.iterations;
  result.evaluations = descent.evaluations;
  result.converged = descent.converged;
  MatrixXd J;
  const std::string trouble = problem.residuals(result.theta, result.residuals, &J);
  if (!descent.usable || !trouble.empty()) {
    result.problem = complain(descent);
    return result;
  }
  result.final_cost = 0.5 * result.residuals.squaredNorm();
  find_unknowns_at_bounds(problem, result);
  static_cast<Confidence&>(result) =
      judge({result.theta, result.residuals, J, problem.lower, problem.upper, problem.size});
  const auto degrees = result.residuals.size() - result.theta.size();
  result.scale = degrees > 0 ? std::sqrt(2 * result.final_cost / static_cast<double>(degrees)) : 0;
  measure_curvature(problem, result);
  return result;
}

}  // namespace cartan::analysis
