#include "results/steady/steady.h"

#include <cmath>

#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "mechanics/machine/state_expression.h"
#include "model/held_time.h"
#include "system/motion_geometry.h"

namespace cartan {

void declare_steady_formulation(Arguments& arguments, std::string& formulation) {
  arguments.option("--formulation", "NAME",
                   "how the equations of motion are formed: recursive (default), moving-frame or "
                   "generated",
                   formulation);
}

std::unique_ptr<SteadyCase> make_steady(const std::string& command,
                                        std::unique_ptr<const Model> model,
                                        const std::string& formulation,
                                        std::optional<double> time) {
  if (!model) return nullptr;
  auto steady = std::make_unique<SteadyCase>();
  steady->time = time;
  steady->model = time ? std::make_unique<const Model>(hold_time(*model, *time)) : std::move(model);
  steady->system = load_system(*steady->model, formulation);
  if (!steady->system) return nullptr;
  const std::string refusal = refuse_steady(*steady->system);
  if (!refusal.empty()) {
    const MotionGeometry* geometry = steady->system->geometry();
    const bool timed = geometry && !geometry->time_dependence().empty();
    fmt::print(stderr, "cartan {}: {}: {}{}\n", command, steady->model->file, refusal,
               timed ? ", and --time T holds time still" : "");
    return nullptr;
  }
  steady->workspace = steady->system->make_workspace();
  steady->problem = std::make_unique<SteadyProblem>(
      *steady->system, find_symmetries(*steady->system, initial_state(*steady), *steady->workspace),
      *steady->workspace);
  return steady;
}

std::unique_ptr<SteadyCase> load_steady(const std::string& command, const ModelArguments& arguments,
                                        const std::string& formulation, std::optional<double> time,
                                        bool quiet) {
  return make_steady(command, load_model(arguments, quiet), formulation, time);
}

void declare_time(Arguments& arguments, std::optional<double>& time) {
  arguments.option("--time", "T",
                   "hold time still: loads have the values they have at T, drives stand where they "
                   "are then",
                   time);
}

State initial_state(const SteadyCase& steady) {
  State state = steady.system->initial_state();
  if (steady.time) state.t = *steady.time;
  return state;
}

std::optional<std::vector<Held>> read_holds(const std::string& command, const SteadyCase& steady,
                                            const std::vector<std::string>& texts,
                                            const State& state) {
  std::vector<Held> held;
  for (const std::string& text : texts) {
    std::string problem;
    Held one;
    one.name = text;
    one.function = make_state_function(*steady.system, *steady.model, text, problem);
    if (!one.function) {
      fmt::print(stderr, "cartan {}: --hold: {}\n", command, problem);
      return std::nullopt;
    }
    one.target = one.function->value(state, *steady.workspace);
    if (!std::isfinite(one.target)) {
      fmt::print(stderr, "cartan {}: --hold: '{}' has no finite value at the initial state\n",
                 command, text);
      return std::nullopt;
    }
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

}  // namespace cartan
