// Everything about one state: the work of `eval`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "mechanics/cuts/cut_loads.h"
#include "results/json_values.h"
#include "results/load/load.h"

namespace cartan::results {

struct Evaluation {
  const Model& model;
  std::string singular;  // why accelerations and reactions are not to be trusted; "" when they are
  Observation now;
  DynamicsReport dynamics;
  MassMatrixReport mass;
  std::optional<MovingFrameReport> moving_frame;
  std::vector<CutLoad> cuts = {};
};

struct EvaluatedModel {
  std::unique_ptr<const Model> model;
  std::string formulation;
  State state;
  std::optional<Evaluation> at;  // of a mechanism
  std::vector<double> rates;     // of a [variables] file
};

// A number that is not finite is a failure.
EvaluatedModel evaluate_model(const ModelArguments& model, const api::EvalOptions& options);

Json evaluation_json(const EvaluatedModel& evaluated);

}  // namespace cartan::results
