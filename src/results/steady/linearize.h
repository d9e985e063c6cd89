// Eigenvalues and modes at a steady motion of a model, and sweeps of them: the work of `linearize`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "results/json_values.h"
#include "results/load/ranges.h"
#include "results/steady/linear_control.h"
#include "results/steady/steady.h"

namespace cartan::results {

// One linearisation and, where it was looked for, the equilibrium it belongs to.
struct LinearizeResult {
  Linearisation linear;
  std::optional<Equilibrium> equilibrium;
  std::string problem;  // why there is none
  bool failed = false;  // the search for the equilibrium ended without one
};

struct LinearizedModel {
  std::unique_ptr<SteadyCase> steady;
  LinearizeResult result;
  std::optional<ControlReport> control;  // with inputs or outputs
};

LinearizedModel linearize_model(const ModelArguments& model, const api::LinearizeOptions& options);
Json linearisation_json(const LinearizedModel& linearized);

struct SweepPoint {
  double value = 0;
  LinearizeResult result;
};

struct SweptModel {
  std::unique_ptr<const Model> model;
  Range range;
  std::vector<SweepPoint> points;
};

SweptModel sweep_model(const ModelArguments& model, const api::LinearizeOptions& options);
// A failure where no value has a steady state.
void require_steady(const SweptModel& swept);
std::string sweep_table(const SweptModel& swept);  // sweep.csv
Json sweep_json(const SweptModel& swept);

}  // namespace cartan::results
