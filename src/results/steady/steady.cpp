#include "results/steady/steady.h"

#include <cmath>

#include <fmt/format.h>

#include "mechanics/machine/state_expression.h"
#include "model/held_time.h"
#include "results/refusal.h"
#include "system/motion_geometry.h"

namespace cartan::results {

std::unique_ptr<SteadyCase> make_steady(const std::string& command,
                                        std::unique_ptr<const Model> model,
                                        const std::string& formulation,
                                        std::optional<double> time) {
  auto steady = std::make_unique<SteadyCase>();
  steady->time = time;
  steady->model = time ? std::make_unique<const Model>(hold_time(*model, *time)) : std::move(model);
  steady->system = load_system(*steady->model, formulation);
  const std::string refusal = refuse_steady(*steady->system);
  if (!refusal.empty()) {
    const MotionGeometry* geometry = steady->system->geometry();
    const bool timed = geometry && !geometry->time_dependence().empty();
    refuse_at("cartan " + command, fmt::format("{}: {}{}", steady->model->file, refusal,
                                               timed ? ", and --time T holds time still" : ""));
  }
  steady->workspace = steady->system->make_workspace();
  steady->problem = std::make_unique<SteadyProblem>(
      *steady->system, find_symmetries(*steady->system, initial_state(*steady), *steady->workspace),
      *steady->workspace);
  return steady;
}

std::unique_ptr<SteadyCase> load_steady(const std::string& command, const ModelArguments& arguments,
                                        const std::string& formulation, std::optional<double> time,
                                        const api::Watch& watch, bool quiet) {
  return make_steady(command, load_model(arguments, watch, quiet), formulation, time);
}

State initial_state(const SteadyCase& steady) {
  State state = steady.system->initial_state();
  if (steady.time) state.t = *steady.time;
  return state;
}

std::vector<Held> read_holds(const std::string& command, const SteadyCase& steady,
                             const std::vector<std::string>& texts, const State& state) {
  std::vector<Held> held;
  for (const std::string& text : texts) {
    std::string problem;
    Held one;
    one.name = text;
    one.function = make_state_function(*steady.system, *steady.model, text, problem);
    if (!one.function) refuse_at("cartan " + command, "--hold: " + problem);
    one.target = one.function->value(state, *steady.workspace);
    if (!std::isfinite(one.target))
      refuse_at("cartan " + command,
                fmt::format("--hold: '{}' has no finite value at the initial state", text));
    held.push_back(std::move(one));
  }
  return held;
}

std::string describe_motion(const SteadyCase& steady, const Eigen::VectorXd& c) {
  const Symmetries& symmetries = steady.problem->symmetries();
  std::string text;
  for (int k = 0; k < symmetries.count(); ++k) {
    if (std::fabs(c[k]) < 1e-12) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} at {:.6g}", symmetries.names[k], c[k]);
  }
  return text;
}

}  // namespace cartan::results
