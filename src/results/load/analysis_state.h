// What commands that analyse orbits and motions share: a model with its system and a start,
// expressions of the command line, states in print.
#pragma once

#include <memory>
#include <string>

#include "mechanics/machine/state_expression.h"
#include "results/json_values.h"
#include "results/load/load.h"

namespace cartan::results {

struct AnalysisArguments {
  ModelArguments model;
  std::string formulation, from;
};

struct Analysis {
  std::unique_ptr<const Model> model;
  std::unique_ptr<System> system;
  State start;
};

Analysis load_analysis(const AnalysisArguments& arguments, const api::Watch& watch);

// An expression of the model's names; `option` says it in a refusal.
std::unique_ptr<StateFunction> read_function(const Analysis& analysis, const std::string& text,
                                             const std::string& option);

// Nodes of multiple shooting.
inline constexpr int most_shooting_nodes = 200;
std::string refuse_shooting(int nodes);

// The value of an expression of the parameters.
double read_value(const Model& model, const std::string& text, const std::string& option);

// In the shape of STATE.json.
Json model_state_json(const Model& model, const System& system, const State& state);
Json analysis_state_json(const Analysis& analysis, const State& state);

}  // namespace cartan::results
