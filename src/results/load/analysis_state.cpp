#include "results/load/analysis_state.h"

#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "results/load/numbers.h"
#include "results/load/state_file.h"

namespace cartan {

void declare_analysis(Arguments& arguments, AnalysisArguments& target) {
  declare_model(arguments, target.model);
  declare_formulation(arguments, target.formulation);
  arguments.option("--from", "STATE",
                   "start from a STATE.json, a trajectory.csv or the folder of an earlier run",
                   target.from);
}

bool load_analysis(const AnalysisArguments& arguments, Analysis& analysis) {
  analysis.model = load_model(arguments.model);
  if (!analysis.model) return false;
  const Model& model = *analysis.model;
  analysis.system = load_system(model, choose_formulation(model, arguments.formulation));
  if (!analysis.system) return false;
  analysis.start = analysis.system->initial_state();
  if (arguments.from.empty()) return true;
  const std::optional<StateValues> given = read_state(arguments.from, model);
  if (!given) return false;
  analysis.start = make_start(*analysis.system, *given);
  return true;
}

std::unique_ptr<StateFunction> read_function(const Analysis& analysis, const std::string& text,
                                             const std::string& option) {
  std::string problem;
  auto function = make_state_function(*analysis.system, *analysis.model, text, problem);
  if (!function) fmt::print(stderr, "cartan: {}: {}\n", option, problem);
  return function;
}

std::string refuse_shooting(int nodes) {
  return fmt::format("--shooting: expected 1 to {} nodes, got {}", most_shooting_nodes, nodes);
}

std::optional<double> read_value(const Model& model, const std::string& text,
                                 const std::string& option) {
  std::string problem;
  const std::optional<double> value = read_number(text, &model, problem);
  if (!value) fmt::print(stderr, "cartan: {}: {}\n", option, problem);
  return value;
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

void print_state(const Analysis& analysis, const State& state) {
  const System& system = *analysis.system;
  const int count = system.space().size() - system.quadratures();
  for (int i = 0; i < count; ++i)
    fmt::print("  {} = {:.15g}\n", system.component_name(i), state.x[i]);
}

}  // namespace cartan
