#include "results/load/analysis_state.h"

#include <fmt/format.h>

#include "results/load/numbers.h"
#include "results/load/state_file.h"
#include "results/refusal.h"

namespace cartan::results {

Analysis load_analysis(const AnalysisArguments& arguments, const api::Watch& watch) {
  Analysis analysis;
  analysis.model = load_model(arguments.model, watch);
  const Model& model = *analysis.model;
  analysis.system = load_system(model, choose_formulation(model, arguments.formulation));
  analysis.start = analysis.system->initial_state();
  if (!arguments.from.empty())
    analysis.start = make_start(*analysis.system, read_state(arguments.from, model));
  return analysis;
}

std::unique_ptr<StateFunction> read_function(const Analysis& analysis, const std::string& text,
                                             const std::string& option) {
  std::string problem;
  auto function = make_state_function(*analysis.system, *analysis.model, text, problem);
  if (!function) refuse_at("cartan", option + ": " + problem);
  return function;
}

std::string refuse_shooting(int nodes) {
  return fmt::format("--shooting: expected 1 to {} nodes, got {}", most_shooting_nodes, nodes);
}

double read_value(const Model& model, const std::string& text, const std::string& option) {
  std::string problem;
  const std::optional<double> value = read_number(text, &model, problem);
  if (!value) refuse_at("cartan", option + ": " + problem);
  return *value;
}

Json model_state_json(const Model& model, const System& system, const State& state) {
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system)) {
    Observation now;
    mechanism->observe(state, now, *mechanism->make_workspace());
    return state_json(model, now);
  }
  Json variables = Json::object();
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    variables[model.variables[i].name] = state.x[i];
  return {{"t", state.t}, {"variables", std::move(variables)}};
}

Json analysis_state_json(const Analysis& analysis, const State& state) {
  return model_state_json(*analysis.model, *analysis.system, state);
}

}  // namespace cartan::results
