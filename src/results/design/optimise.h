// Parameters and initial values that minimise an expression of a run: the work of `optimise`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/design/optimise_problem.h"
#include "results/json_values.h"

namespace cartan::results {

// A condition of the command at the optimum.
struct DesignCondition {
  double value = 0;      // left minus right
  double violation = 0;  // what is missing
  bool active = false;
  double multiplier = 0;
};

struct OptimiseStart {
  Eigen::VectorXd start;
  DesignResult result;
};

struct OptimiseResult {
  std::unique_ptr<OptimiseCase> setup;
  std::vector<OptimiseStart> starts;
  int best = 0;      // among them
  std::string kink;  // why the objective or a condition is not smooth there; "" where it is

  const DesignResult& found() const { return starts[best].result; }
  double objective(const DesignResult& result) const {
    return setup->sign * result.point.objective;
  }
  DesignCondition condition(std::size_t constraint) const;
};

// Refused where there is no value at the start; one that has not converged says why in
// found().problem.
OptimiseResult optimise_model(const ModelArguments& model, const api::OptimiseOptions& options);

Json optimise_json(const OptimiseResult& result);

}  // namespace cartan::results
