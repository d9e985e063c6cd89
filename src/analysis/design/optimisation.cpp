#include "analysis/design/optimisation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/design/ipopt_design.h"
#include "analysis/design/quadratic_program.h"
#include "analysis/design/second_order.h"
#include "analysis/design/sparse_program.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class SequentialQuadratic {
 public:
  SequentialQuadratic(const DesignProblem& problem, const DesignOptions& options)
      : problem_(problem), options_(options), n_(static_cast<int>(problem.start.size())) {}

  DesignResult run() {
    result_.theta = problem_.start;
    result_.problem = evaluate(result_.theta, true, result_.point);
    if (!result_.problem.empty()) return std::move(result_);
    const double level = std::max(std::fabs(result_.point.objective), 1e-300);
    H_ = MatrixXd::Identity(n_, n_) * std::max(level, result_.point.gradient.norm());
    int stalled = 0;
    for (int k = 0; k < options_.iterations; ++k, ++result_.iterations) {
      if (options_.stop_requested && options_.stop_requested->load()) {
        result_.problem = "interrupted";
        break;
      }
      const QuadraticStep step = solve_step();
      judge(step);
      if (result_.converged) break;
      const double taken = take(step);
      if (taken == 0) {
        // the matrix may be wrong: once more from the gradient alone
        if (++stalled > 1) break;
        H_ = MatrixXd::Identity(n_, n_) * std::max(result_.point.gradient.norm(), 1e-300);
        continue;
      }
      stalled = 0;
      if (options_.on_iteration) options_.on_iteration(k + 1, result_.point.objective);
    }
    finish();
    return std::move(result_);
  }

 private:
  int constraints() const { return static_cast<int>(result_.point.constraints.size()); }

  // In units of the sizes.
  std::string evaluate(const VectorXd& theta, bool slopes, DesignPoint& point) {
    ++result_.evaluations;
    std::string problem = problem_.evaluate(theta, slopes, point);
    if (!problem.empty()) return problem;
    if (!std::isfinite(point.objective) || !point.constraints.allFinite())
      return "the objective or a constraint is not a finite number";
    if (!slopes) return "";
    point.gradient = point.gradient.cwiseProduct(problem_.size);
    point.slopes = point.slopes * problem_.size.asDiagonal();
    return point.gradient.allFinite() && point.slopes.allFinite()
               ? ""
               : "a derivative is not a finite number";
  }

  // Rows: equalities, inequalities, then bounds that are finite.
  QuadraticStep solve_step() {
    const DesignPoint& p = result_.point;
    const int m = constraints();
    std::vector<int> low, high;
    for (int j = 0; j < n_; ++j) {
      if (std::isfinite(problem_.lower(j))) low.push_back(j);
      if (std::isfinite(problem_.upper(j))) high.push_back(j);
    }
    MatrixXd A = MatrixXd::Zero(m + low.size() + high.size(), n_);
    VectorXd b(A.rows());
    A.topRows(m) = p.slopes;
    b.head(m) = -p.constraints;
    int row = m;
    for (const int j : low) {
      A(row, j) = -1;
      b(row++) = (result_.theta(j) - problem_.lower(j)) / problem_.size(j);
    }
    for (const int j : high) {
      A(row, j) = 1;
      b(row++) = (problem_.upper(j) - result_.theta(j)) / problem_.size(j);
    }
    bounds_ = A.bottomRows(A.rows() - m);
    QuadraticStep step = solve_quadratic(H_, p.gradient, A, b, problem_.equalities);
    if (step.feasible) return step;
    // constraints that contradict each other here: as much less of them as can be met
    for (double part = 0.5; part > 1e-6 && !step.feasible; part /= 2) {
      VectorXd less = b;
      for (int i = 0; i < m; ++i)
        if (b(i) < 0 || i < problem_.equalities) less(i) = part * b(i);
      step = solve_quadratic(H_, p.gradient, A, less, problem_.equalities);
    }
    return step;
  }

  double violation(const DesignPoint& p) const {
    double sum = 0;
    for (int i = 0; i < p.constraints.size(); ++i)
      sum +=
          i < problem_.equalities ? std::fabs(p.constraints(i)) : std::max(0.0, p.constraints(i));
    return sum;
  }

  VectorXd lagrangian_gradient(const DesignPoint& p, const VectorXd& multipliers) const {
    VectorXd gradient = p.gradient;
    if (p.constraints.size() > 0)
      gradient += p.slopes.transpose() * multipliers.head(p.constraints.size());
    return gradient;
  }

  void judge(const QuadraticStep& step) {
    if (!step.feasible) return;
    multipliers_ = step.multipliers;
    VectorXd gradient = lagrangian_gradient(result_.point, multipliers_);
    gradient += bounds_.transpose() * multipliers_.tail(bounds_.rows());
    const double level =
        std::max({std::fabs(result_.point.objective), result_.point.gradient.norm(), 1e-300});
    result_.stationarity = gradient.norm() / level;
    result_.violation = violation(result_.point);
    const double reach = step.d.norm();
    const bool still =
        reach <= 0.1 * options_.tolerance || result_.stationarity <= 1e-2 * options_.tolerance;
    result_.converged = still && result_.violation <= options_.tolerance;
  }

  // The part of the step that was taken; zero: none makes the merit fall.
  double take(const QuadraticStep& step) {
    if (!step.feasible) return 0;
    const DesignPoint before = result_.point;
    for (int i = 0; i < constraints(); ++i)
      nu_ = std::max(nu_, 1.5 * std::fabs(step.multipliers(i)));
    const double merit = before.objective + nu_ * violation(before);
    const double slope = before.gradient.dot(step.d) - nu_ * violation(before);
    double part = 1;
    for (int halved = 0; halved < 25; ++halved, part /= 2) {
      VectorXd theta = result_.theta + part * step.d.cwiseProduct(problem_.size);
      theta = theta.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
      DesignPoint next;
      const std::string why = evaluate(theta, true, next);
      if (!why.empty()) {
        last_refusal_ = why;
        continue;
      }
      const double rounding = 1e-14 * std::fabs(merit);
      if (!(next.objective + nu_ * violation(next) <= merit + 1e-4 * part * slope + rounding))
        continue;
      update(part * step.d, before, next, step.multipliers);
      result_.theta = theta;
      result_.point = next;
      return part;
    }
    return 0;
  }

  // Powell's damped BFGS.
  void update(const VectorXd& s, const DesignPoint& before, const DesignPoint& after,
              const VectorXd& multipliers) {
    if (s.norm() == 0) return;
    VectorXd y = lagrangian_gradient(after, multipliers) - lagrangian_gradient(before, multipliers);
    if (result_.iterations == 0 && s.dot(y) > 0)
      H_ = MatrixXd::Identity(n_, n_) * (y.squaredNorm() / s.dot(y));
    const VectorXd Hs = H_ * s;
    const double sHs = s.dot(Hs);
    if (s.dot(y) < 0.2 * sHs) {
      const double phi = 0.8 * sHs / (sHs - s.dot(y));
      y = phi * y + (1 - phi) * Hs;
    }
    if (!(s.dot(y) > 0) || !y.allFinite()) return;
    H_ += y * y.transpose() / s.dot(y) - Hs * Hs.transpose() / sHs;
    H_ = 0.5 * (H_ + H_.transpose()).eval();
  }

  void finish() {
    result_.multipliers =
        multipliers_.head(std::min<Eigen::Index>(constraints(), multipliers_.size()));
    for (int j = 0; j < n_; ++j) {
      const double near = 1e-10 * problem_.size(j);
      if (result_.theta(j) <= problem_.lower(j) + near ||
          result_.theta(j) >= problem_.upper(j) - near)
        result_.at_bound.push_back(j);
    }
    result_.violation = violation(result_.point);
    if (result_.converged || !result_.problem.empty()) return;
    // where rounding lets no step improve anything and the conditions hold to a few digits less
    if (result_.violation <= 1e2 * options_.tolerance && result_.stationarity <= 1e-6 &&
        result_.iterations < options_.iterations) {
      result_.converged = true;
      return;
    }
    result_.problem = fmt::format(
        "no minimum after {} iterations: the gradient is {:.3g} of its size, constraints are "
        "violated by {:.3g}{}",
        result_.iterations, result_.stationarity, result_.violation,
        last_refusal_.empty() ? "" : "; last refusal: " + last_refusal_);
  }

  const DesignProblem& problem_;
  const DesignOptions& options_;
  int n_;
  DesignResult result_;
  MatrixXd H_, bounds_;
  VectorXd multipliers_;
  double nu_ = 0;
  std::string last_refusal_;
};

}  // namespace

namespace {

// By the method asked for; where the own one does not come to an end, by Ipopt, if there is one.
DesignResult minimise_once(const DesignProblem& problem, const DesignOptions& options) {
  if (options.solver == DesignSolver::ipopt) return minimise_by_ipopt(problem, options);
  DesignResult own = SequentialQuadratic(problem, options).run();
  const bool stopped = options.stop_requested && options.stop_requested->load();
  const bool has_start = own.point.gradient.size() > 0;
  if (own.converged || stopped || !has_start || !refuse_ipopt().empty()) return own;
  DesignResult other = minimise_by_ipopt(problem, options);
  other.iterations += own.iterations;
  other.evaluations += own.evaluations;
  if (other.converged) return other;
  own.iterations = other.iterations;
  own.evaluations = other.evaluations;
  return own;
}

}  // namespace

DesignResult minimise(const DesignProblem& problem, const DesignOptions& options) {
  constexpr int most_saddles = 4;
  DesignProblem current = problem;
  int iterations = 0, evaluations = 0;
  for (int saddles = 0;; ++saddles) {
    DesignResult result = minimise_once(current, options);
    result.iterations += iterations;
    result.evaluations += evaluations;
    result.saddles = saddles;
    if (!result.converged) return result;
    const OpenCurvature curvature = find_open_curvature(problem, result);
    result.evaluations += curvature.evaluations;
    result.second_order = curvature.verdict;
    if (curvature.verdict != "saddle") return result;
    result.converged = false;
    result.second_order.clear();
    result.problem =
        "the gradient vanishes, but this is no minimum: the objective falls along a direction "
        "that conditions and bounds leave open; start elsewhere";
    iterations = result.iterations;
    if (saddles == most_saddles ||
        !leave_saddle(problem, result, curvature, current.start, evaluations))
      return result;
    evaluations += result.evaluations;
  }
}

}  // namespace cartan::analysis
