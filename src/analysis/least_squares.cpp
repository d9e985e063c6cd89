#include "analysis/least_squares.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/ceres/minimiser.h"
#include "core/dense.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Unknowns as the minimiser sees them, u = theta / size, some of them held at a bound.
class Descent {
 public:
  Descent(const LeastSquaresProblem& problem, const LeastSquaresOptions& options, int count)
      : problem_(problem),
        options_(options),
        count_(count),
        u_(problem.start.cwiseQuotient(problem.size)),
        lower_(problem.lower.cwiseQuotient(problem.size)),
        upper_(problem.upper.cwiseQuotient(problem.size)),
        held_(u_.size(), false) {}

  void run() {
    const int most_rounds = 4 * static_cast<int>(u_.size()) + 4;
    for (int round = 0; round < most_rounds; ++round) {
      const PlainSummary summary = descend();
      usable = summary.usable;
      stopped = summary.given_up;
      converged = summary.converged;
      if (!usable || stopped || iterations >= options_.most_iterations) return;
      if (!hold() && !let_go()) return;
      converged = false;
    }
  }

  VectorXd theta() const { return u_.cwiseProduct(problem_.size); }

  int iterations = 0, evaluations = 0;
  bool usable = false, stopped = false, converged = false;
  std::string trouble;  // of the last evaluation

 private:
  // The unknowns that are not held, to their minimum.
  PlainSummary descend() {
    free_.clear();
    for (int j = 0; j < u_.size(); ++j)
      if (!held_[j]) free_.push_back(j);
    if (free_.empty()) return {true, true, false, false, 0};
    VectorXd u = u_(free_);
    const VectorXd lower = lower_(free_), upper = upper_(free_);
    PlainSquares plain;
    plain.residuals = count_;
    plain.unknowns = static_cast<int>(free_.size());
    plain.evaluate = [&](const double* at, double* r, double* J) { return evaluate(at, r, J); };
    plain.lower = lower.data();
    plain.upper = upper.data();
    plain.most_iterations = std::max(1, options_.most_iterations - iterations);
    plain.tolerance = options_.tolerance;
    plain.judge = [&, before = iterations](int iteration, double cost) {
      iterations = before + iteration;
      if (options_.on_iteration) options_.on_iteration(iterations, cost);
      if (options_.stop_requested && options_.stop_requested->load()) return PlainVerdict::give_up;
      return is_pressed() ? PlainVerdict::enough : PlainVerdict::go_on;
    };
    const PlainSummary summary = minimise_with_ceres(plain, u.data());
    u_(free_) = u;
    return summary;
  }

  bool evaluate(const double* at, double* residuals, double* jacobian) {
    VectorXd u = u_;
    for (std::size_t i = 0; i < free_.size(); ++i) u(free_[i]) = at[i];
    VectorXd r;
    MatrixXd J;
    ++evaluations;
    trouble = problem_.residuals(u.cwiseProduct(problem_.size), r, jacobian ? &J : nullptr);
    if (!trouble.empty() || r.size() != count_ || !r.allFinite()) return false;
    Eigen::Map<VectorXd>(residuals, r.size()) = r;
    if (!jacobian) return true;
    if (!J.allFinite()) return false;
    J = J * problem_.size.asDiagonal();
    known_at_ = u;
    gradient_ = J.transpose() * r;
    curvature_ = J.colwise().squaredNorm();
    cost_ = 0.5 * r.squaredNorm();
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(jacobian, count_, static_cast<Eigen::Index>(free_.size())) =
        J(Eigen::all, free_);
    return true;
  }

  // -1, 1: at a bound, and the residuals fall beyond it; 0 otherwise.
  int pressed(int j) const {
    if (known_at_(j) <= lower_(j) && gradient_(j) > 0) return -1;
    if (known_at_(j) >= upper_(j) && gradient_(j) < 0) return 1;
    return 0;
  }
  bool is_pressed() const {
    return std::any_of(free_.begin(), free_.end(), [&](int j) { return pressed(j) != 0; });
  }

  // False: nothing to hold.
  bool hold() {
    if (gradient_.size() == 0 || !is_pressed()) return false;
    for (int j : free_)
      if (pressed(j) != 0) held_[j] = true;
    return true;
  }

  // The held unknown that promises the largest fall of the cost, g^2 / (2 |J_j|^2), moves again.
  bool let_go() {
    int best = -1;
    double gain = options_.tolerance * cost_;
    for (int j = 0; j < u_.size(); ++j) {
      if (!held_[j] || pressed(j) != 0 || curvature_(j) == 0) continue;
      const double promise = gradient_(j) * gradient_(j) / (2 * curvature_(j));
      if (promise <= gain) continue;
      gain = promise;
      best = j;
    }
    if (best >= 0) held_[best] = false;
    return best >= 0;
  }

  const LeastSquaresProblem& problem_;
  const LeastSquaresOptions& options_;
  const int count_;  // of residuals
  VectorXd u_, lower_, upper_;
  std::vector<bool> held_;
  std::vector<int> free_;
  // where derivatives were last wanted
  VectorXd known_at_, gradient_, curvature_;
  double cost_ = 0;
};

void find_unknowns_at_bounds(const LeastSquaresProblem& problem, LeastSquaresResult& result) {
  for (int j = 0; j < result.theta.size(); ++j) {
    const double room = 1e-9 * problem.size(j);
    if (result.theta(j) <= problem.lower(j) + room || result.theta(j) >= problem.upper(j) - room)
      result.at_bound.push_back(j);
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
  return result;
}

}  // namespace cartan
