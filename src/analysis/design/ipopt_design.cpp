#include "analysis/design/ipopt_design.h"

#include <algorithm>
#include <cmath>

#include "analysis/design/sparse_program.h"

namespace cartan::analysis {
namespace {

using Eigen::VectorXd;

// Unknowns in units of their sizes, dense rows. What was asked for last is kept: value and slopes
// of a point come from one run.
class DesignProgram final : public SparseProgram {
 public:
  DesignProgram(const DesignProblem& problem, DesignResult& result)
      : problem_(problem), result_(result), n_(static_cast<int>(problem.start.size())) {
    load(problem.start.cwiseQuotient(problem.size).eval().data());
    rows_ = static_cast<int>(point_.constraints.size());
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < n_; ++j) pattern_.add(i, j);
  }
  bool has_start() const { return why_.empty(); }
  const std::string& why() const { return why_; }
  const DesignPoint& point() const { return point_; }

  int unknowns() const override { return n_; }
  int constraints() const override { return rows_; }
  void fill_bounds(VectorXd& lower, VectorXd& upper, VectorXd& low, VectorXd& high) const override {
    lower = problem_.lower.cwiseQuotient(problem_.size);
    upper = problem_.upper.cwiseQuotient(problem_.size);
    low.setConstant(-std::numeric_limits<double>::infinity());
    high.setZero();
    low.head(problem_.equalities).setZero();
  }
  bool objective(const double* x, double& f) override {
    if (!load(x)) return false;
    f = point_.objective;
    return true;
  }
  bool gradient(const double* x, double* entries) override {
    if (!load(x)) return false;
    Eigen::Map<VectorXd>(entries, n_) = point_.gradient.cwiseProduct(problem_.size);
    return true;
  }
  bool values(const double* x, double* g) override {
    if (!load(x)) return false;
    std::copy_n(point_.constraints.data(), rows_, g);
    return true;
  }
  const SparsePattern& jacobian_pattern() const override { return pattern_; }
  bool jacobian(const double* x, double* entries) override {
    if (!load(x)) return false;
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < n_; ++j) *entries++ = point_.slopes(i, j) * problem_.size(j);
    return true;
  }
  bool has_hessian() const override { return false; }
  const SparsePattern& hessian_pattern() const override { return none_; }
  bool hessian(const double*, double, const double*, double*) override { return false; }

  bool load(const double* x) {
    const VectorXd at = Eigen::Map<const VectorXd>(x, n_);
    if (at_.size() == n_ && at == at_) return why_.empty();
    at_ = at;
    ++result_.evaluations;
    VectorXd theta = at.cwiseProduct(problem_.size);
    theta = theta.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
    why_ = problem_.evaluate(theta, true, point_);
    if (why_.empty() && !(std::isfinite(point_.objective) && point_.gradient.allFinite() &&
                          point_.constraints.allFinite() && point_.slopes.allFinite()))
      why_ = "the objective, a condition or a derivative is not a finite number";
    return why_.empty();
  }

 private:
  const DesignProblem& problem_;
  DesignResult& result_;
  int n_, rows_ = 0;
  VectorXd at_;
  DesignPoint point_;
  std::string why_;
  SparsePattern pattern_, none_;
};

}  // namespace

DesignResult minimise_by_ipopt(const DesignProblem& problem, const DesignOptions& options) {
  DesignResult result;
  result.theta = problem.start;
  result.problem = refuse_ipopt();
  if (!result.problem.empty()) return result;
  DesignProgram program(problem, result);
  result.problem = program.why();
  if (!program.has_start()) return result;
  ProgramOptions how;
  how.tolerance = options.tolerance;
  how.iterations = options.iterations;
  how.stop_requested = options.stop_requested;
  how.on_iteration = options.on_iteration;
  const ProgramResult solved =
      solve_program(program, problem.start.cwiseQuotient(problem.size), how);
  result.converged = solved.converged;
  result.problem = solved.problem;
  result.iterations = solved.iterations;
  if (!program.load(solved.x.data())) {
    result.converged = false;
    result.problem = program.why();
    return result;
  }
  const VectorXd& low = problem.lower;
  result.theta = solved.x.cwiseProduct(problem.size).cwiseMax(low).cwiseMin(problem.upper);
  result.multipliers = solved.multipliers;
  // as the own method leaves it: slopes in units of the sizes
  result.point = program.point();
  result.point.gradient = result.point.gradient.cwiseProduct(problem.size);
  result.point.slopes = result.point.slopes * problem.size.asDiagonal();
  for (int j = 0; j < result.theta.size(); ++j) {
    const double near = 1e-8 * problem.size(j);
    if (result.theta(j) <= problem.lower(j) + near || result.theta(j) >= problem.upper(j) - near)
      result.at_bound.push_back(j);
  }
  for (int i = 0; i < result.point.constraints.size(); ++i)
    result.violation += i < problem.equalities ? std::fabs(result.point.constraints(i))
                                               : std::max(0.0, result.point.constraints(i));
  return result;
}

}  // namespace cartan::analysis
