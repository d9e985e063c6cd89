// cartan equilibrium: a steady state near the initial one.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/fits/minimisation.h"
#include "cli/arguments.h"
#include "cli/equilibrium_search.h"
#include "cli/option_names.h"
#include "cli/out_option.h"
#include "cli/state_file.h"
#include "cli/steady_json.h"
#include "io/output_files.h"
#include "mechanics/machine/state_expression.h"

namespace cartan {
namespace {

struct EquilibriumArguments {
  ModelArguments model;
  std::string from, search, out, formulation = steady_formulation;
  std::vector<std::string> holds;
  std::optional<double> time;
  bool minimise = false, json = false, force = false;
};

std::optional<int> read_equilibrium_arguments(const Words& words, EquilibriumArguments& o) {
  Arguments arguments(
      "equilibrium",
      "Find a steady state near the initial one: an equilibrium, or a motion along symmetries "
      "(steady rolling, spinning, turning), by Newton's method with exact derivatives.",
      "  cartan equilibrium examples/governor.toml --hold bearing.v\n"
      "  cartan equilibrium examples/bicycle.toml --hold \"R2*front_axle.v\" --json");
  declare_model(arguments, o.model);
  arguments.option("--from", "STATE",
                   "where to start: a STATE.json or an earlier run; default: "
                   "the initial state",
                   o.from);
  arguments.repeated("--hold", "EXPR",
                     "what keeps its initial value; repeatable. Otherwise, and where that leaves "
                     "motions open, initial values are held, and the output says which",
                     o.holds);
  arguments.option(
      "--search", "A=lin(..),B=lin(..)",
      "start from every point of a box of initial values (JOINT.q, JOINT.q[i], JOINT.v, "
      "variables) and list all steady states found",
      o.search);
  arguments.flag("--minimise", "first go down to a minimum of the potential energy, at rest",
                 o.minimise);
  declare_time(arguments, o.time);
  declare_steady_formulation(arguments, o.formulation);
  arguments.option(
      "--out", "DIR",
      "write equilibrium.json and state.json; with --search equilibria.json, search.csv and "
      "search.svg, the map of residuals over the box",
      o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

Json equilibrium_json(const SteadyCase& steady, const Equilibrium& found,
                      const Linearisation& linear) {
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

void print_state(const SteadyCase& steady, const State& state) {
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(steady.system.get());
  const Model& model = *steady.model;
  if (!mechanism) {
    for (std::size_t i = 0; i < model.variables.size(); ++i)
      fmt::print("  {} = {:.15g}\n", model.variables[i].name, state.x[i]);
    return;
  }
  Observation now;
  mechanism->observe(state, now, *steady.workspace);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    std::string q, v;
    for (double number : now.q[j]) q += fmt::format(" {:.12g}", number);
    for (double number : now.v[j]) v += fmt::format(" {:.12g}", number);
    if (!q.empty()) fmt::print("  {}: q ={}, v ={}\n", model.joints[j].name, q, v);
  }
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    fmt::print("  {} = {:.12g}\n", model.variables[i].name, now.variables[i]);
}

void print_equilibrium(const SteadyCase& steady, const Equilibrium& found,
                       const Linearisation& linear) {
  const std::string motion = describe_motion(steady, found.c);
  fmt::print("{}: steady after {} steps, residual {:.3g}\n", steady.model->name, found.iterations,
             found.residual);
  fmt::print("moves: {}\n", motion.empty() ? "not at all" : motion);
  for (const std::string& name : found.held) fmt::print("held: {}\n", name);
  for (const std::string& name : found.contested)
    fmt::print("not held (there is no steady state with its initial value): {}\n", name);
  print_state(steady, found.state);
  if (!linear.problem.empty()) return;
  fmt::print("{} ({} neutral directions aside)\n",
             linear.asymptotic ? "asymptotically stable"
             : linear.stable   ? "stable to first order"
                               : "unstable",
             linear.neutral);
  for (const auto& value : linear.eigenvalues)
    if (value != std::complex<double>(0, 0))
      fmt::print("  {:.12g} {:+.12g}i\n", value.real(), value.imag());
}

// Moves the start to a minimum of the potential energy; false after a complaint.
bool go_down(const SteadyCase& steady, const EquilibriumArguments& o, State& start) {
  std::string problem;
  const auto potential = make_state_function(*steady.system, *steady.model, "potential", problem);
  if (!steady.model->is_mechanism() || !potential) {
    complain("equilibrium", "--minimise: a file with [variables] has no potential energy");
    return false;
  }
  const Minimum minimum = minimise_potential(*steady.problem, start, *potential);
  if (!minimum.found) {
    complain("equilibrium", fmt::format("{}: {}", o.model.path, minimum.problem));
    return false;
  }
  fmt::print(stderr, "potential energy {:.12g} J after {} steps\n", minimum.potential,
             minimum.iterations);
  start = minimum.state;
  return true;
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

int write_equilibrium(const EquilibriumArguments& o, const SteadyCase& steady,
                      const Equilibrium& found, const Linearisation& linear) {
  std::string problem;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(o.out, "equilibrium", replace_if(o.force), problem);
  if (!output) return complain("equilibrium", problem);
  const bool written =
      output->write("state.json", state_json_of(steady, found.state).dump(2) + "\n", problem) &&
      output->write("equilibrium.json", equilibrium_json(steady, found, linear).dump(2) + "\n",
                    problem) &&
      output->commit(problem);
  return written ? exit_done : complain("equilibrium", problem, exit_failed);
}

int search_command(const SteadyCase& steady, const EquilibriumArguments& o) {
  if (!o.from.empty() || o.minimise)
    return complain("equilibrium",
                    "--search starts from the points of its box; --from and --minimise do not go "
                    "with it");
  return search_box(steady, {o.model.path, o.search, o.out, o.holds, o.json, o.force});
}

}  // namespace

int equilibrium_command(const Words& words) {
  EquilibriumArguments o;
  if (const std::optional<int> status = read_equilibrium_arguments(words, o)) return *status;
  const std::unique_ptr<SteadyCase> steady =
      load_steady("equilibrium", o.model, o.formulation, o.time);
  if (!steady) return exit_bad_input;
  State start = initial_state(*steady);
  if (!o.search.empty()) return search_command(*steady, o);
  if (!o.from.empty()) {
    const std::optional<StateValues> given = read_state(o.from, *steady->model);
    if (!given) return exit_bad_input;
    start = make_start(*steady->system, *given);
  }
  if (o.minimise && !go_down(*steady, o, start)) return exit_failed;
  EquilibriumOptions options;
  const auto held = read_holds("equilibrium", *steady, o.holds, start);
  if (!held) return exit_bad_input;
  options.held = *held;
  Equilibrium found = find_equilibrium(*steady->problem, start, options);
  if (!found.found && has_dry_friction(*steady->model))
    found = find_stuck(*steady, start, options, std::move(found));
  Linearisation linear;
  if (found.found) linear = linearise(*steady->problem, found.state);
  if (found.found && !o.out.empty()) {
    const int status = write_equilibrium(o, *steady, found, linear);
    if (status != exit_done) return status;
  }
  if (o.json) print_json(equilibrium_json(*steady, found, linear));
  if (!found.found)
    return complain("equilibrium", fmt::format("{}: {}", o.model.path, found.problem), exit_failed);
  if (!o.json) print_equilibrium(*steady, found, linear);
  return exit_done;
}

}  // namespace cartan
