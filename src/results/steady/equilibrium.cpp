#include "results/steady/equilibrium.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/fits/minimisation.h"
#include "io/output_files.h"
#include "mechanics/machine/state_expression.h"
#include "results/load/state_file.h"
#include "results/option_names.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/steady/steady_json.h"
#include "results/task.h"

namespace cartan::results {
namespace {

// A minimum of the potential energy.
State go_down(const SteadyCase& steady, const ModelArguments& source, const State& start,
              const api::Watch& watch) {
  std::string problem;
  const auto potential = make_state_function(*steady.system, *steady.model, "potential", problem);
  if (!steady.model->is_mechanism() || !potential)
    fail("equilibrium", "--minimise: a file with [variables] has no potential energy");
  const Minimum minimum = minimise_potential(*steady.problem, start, *potential);
  if (!minimum.found) fail("equilibrium", fmt::format("{}: {}", source.path, minimum.problem));
  tell(watch, fmt::format("potential energy {:.12g} J after {} steps", minimum.potential,
                          minimum.iterations));
  return minimum.state;
}

bool has_dry_friction(const Model& model) {
  return std::any_of(model.forces.begin(), model.forces.end(), [](const Force& force) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    return friction && !friction->smoothing.given();
  });
}

// Joints with dry friction that slip at the start can hold the mechanism once they stick: the
// search from the same position at rest, the failure where that does not help.
Equilibrium find_stuck(const SteadyCase& steady, const State& start,
                       const EquilibriumOptions& options, Equilibrium failure) {
  const auto& mechanism = dynamic_cast<const MechanicalSystem&>(*steady.system);
  Observation now;
  mechanism.observe(start, now, *steady.workspace);
  std::vector<std::optional<std::vector<double>>> q(now.q.begin(), now.q.end()), v;
  for (const std::vector<double>& speeds : now.v)
    v.emplace_back(std::vector<double>(speeds.size(), 0.0));
  const State rest = mechanism.make_state(start.t, q, v);
  const SteadyProblem problem(
      *steady.system, find_symmetries(*steady.system, rest, *steady.workspace), *steady.workspace);
  Equilibrium found = find_equilibrium(problem, rest, options);
  found.c = Eigen::VectorXd::Zero(steady.problem->symmetries().count());
  return found.found ? found : failure;
}

void write_equilibrium(const api::EquilibriumOptions& o, const ModelEquilibrium& result) {
  std::string problem;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(o.out, "equilibrium", replace_if(o.force), problem);
  if (!output) refuse("equilibrium", problem);
  const bool written =
      output->write("state.json", state_json_of(*result.steady, result.found.state).dump(2) + "\n",
                    problem) &&
      output->write("equilibrium.json", equilibrium_json(result).dump(2) + "\n", problem) &&
      output->commit(problem);
  if (!written) fail("equilibrium", problem);
}

}  // namespace

Json equilibrium_json(const ModelEquilibrium& result) {
  const SteadyCase& steady = *result.steady;
  const Equilibrium& found = result.found;
  const Linearisation& linear = result.linear;
  Json json = {{"model", steady.model->name},
               {"found", found.found},
               {"state", state_json_of(steady, found.state)},
               {"residual", found.residual},
               {"stable", found.found && linear.problem.empty() && linear.stable},
               {"iterations", found.iterations},
               {"held", found.held}};
  if (!found.contested.empty()) json["not_held"] = found.contested;
  if (!found.problem.empty()) json["problem"] = name_options(found.problem);
  if (!found.found) return json;
  json["symmetries"] = motion_json(steady, found.c);
  if (linear.problem.empty()) json.update(spectrum_json(linear));
  return json;
}

ModelEquilibrium find_model_equilibrium(const ModelArguments& source,
                                        const api::EquilibriumOptions& o) {
  ModelEquilibrium result;
  result.steady = load_steady("equilibrium", source, o.formulation, o.time, o.watch);
  const SteadyCase& steady = *result.steady;
  State start = initial_state(steady);
  if (!o.from.empty()) start = make_start(*steady.system, read_state(o.from, *steady.model));
  require_room("equilibrium", "equilibrium", o.out, o.force, {"state.json", "equilibrium.json"});
  if (o.minimise) start = go_down(steady, source, start, o.watch);
  EquilibriumOptions options;
  options.held = read_holds("equilibrium", steady, o.hold, start);
  result.found = find_equilibrium(*steady.problem, start, options);
  if (!result.found.found && has_dry_friction(*steady.model))
    result.found = find_stuck(steady, start, options, std::move(result.found));
  if (!result.found.found) return result;
  result.linear = linearise(*steady.problem, result.found.state);
  if (!o.out.empty()) write_equilibrium(o, result);
  return result;
}

void require_found(const ModelEquilibrium& result, const ModelArguments& source) {
  if (!result.found.found)
    fail("equilibrium", fmt::format("{}: {}", source.path, result.found.problem));
}

}  // namespace cartan::results
