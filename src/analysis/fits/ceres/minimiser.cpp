#include "analysis/fits/ceres/minimiser.h"

#include <cmath>

#include <ceres/ceres.h>
#include <glog/logging.h>

namespace cartan::analysis {
namespace {

class Cost final : public ceres::CostFunction {
 public:
  explicit Cost(const PlainSquares& problem) : problem_(problem) {
    set_num_residuals(problem.residuals);
    mutable_parameter_block_sizes()->push_back(problem.unknowns);
  }
  bool Evaluate(double const* const* u, double* r, double** J) const override {
    return problem_.evaluate(u[0], r, J ? J[0] : nullptr);
  }

 private:
  const PlainSquares& problem_;
};

class Watch final : public ceres::IterationCallback {
 public:
  explicit Watch(const PlainSquares& problem) : problem_(problem) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    if (!problem_.judge) return ceres::SOLVER_CONTINUE;
    switch (problem_.judge(summary.iteration, summary.cost)) {
      case PlainVerdict::enough:
        return ceres::SOLVER_TERMINATE_SUCCESSFULLY;
      case PlainVerdict::give_up:
        return ceres::SOLVER_ABORT;
      default:
        return ceres::SOLVER_CONTINUE;
    }
  }

 private:
  const PlainSquares& problem_;
};

}  // namespace

void cartan_minimise_with_ceres(const PlainSquares* given, double* u, PlainSummary* result) {
  const PlainSquares& problem = *given;
  FLAGS_minloglevel =
      google::GLOG_FATAL;  // failures are in the summary; its log would go to stderr
  ceres::Problem solver;
  solver.AddResidualBlock(new Cost(problem), nullptr, u);  // the solver owns it
  for (int j = 0; j < problem.unknowns; ++j) {
    if (std::isfinite(problem.lower[j])) solver.SetParameterLowerBound(u, j, problem.lower[j]);
    if (std::isfinite(problem.upper[j])) solver.SetParameterUpperBound(u, j, problem.upper[j]);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = problem.most_iterations;
  options.function_tolerance = options.parameter_tolerance = problem.tolerance;
  options.gradient_tolerance = 1e-300;
  options.max_num_consecutive_invalid_steps = 20;
  // A step beyond a bound is cut there. The search along the cut step that Ceres would add costs
  // several residuals per iteration and gains little: unknowns at bounds are held by the caller.
  options.max_num_line_search_step_size_iterations = 0;
  options.logging_type = ceres::SILENT;
  options.num_threads = 1;
  Watch watch(problem);
  options.callbacks.push_back(&watch);
  ceres::Solver::Summary summary;
  ceres::Solve(options, &solver, &summary);
  *result = {summary.IsSolutionUsable(), summary.termination_type == ceres::CONVERGENCE,
             summary.termination_type == ceres::USER_SUCCESS,
             summary.termination_type == ceres::USER_FAILURE,
             static_cast<int>(summary.iterations.size()) - 1};
}

}  // namespace cartan::analysis
