// cartan equilibrium: a steady state near the initial one.
#include <cmath>

#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/steady/equilibrium.h"
#include "results/steady/equilibrium_search.h"

namespace cartan::cli {
namespace {

struct EquilibriumArguments {
  ModelArguments model;
  api::EquilibriumOptions equilibrium;
  bool json = false;
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
                   o.equilibrium.from);
  arguments.repeated("--hold", "EXPR",
                     "what keeps its initial value; repeatable. Otherwise, and where that leaves "
                     "motions open, initial values are held, and the output says which",
                     o.equilibrium.hold);
  arguments.option(
      "--search", "A=lin(..),B=lin(..)",
      "start from every point of a box of initial values (JOINT.q, JOINT.q[i], JOINT.v, "
      "variables) and list all steady states found",
      o.equilibrium.search);
  arguments.flag("--minimise", "first go down to a minimum of the potential energy, at rest",
                 o.equilibrium.minimise);
  declare_time(arguments, o.equilibrium.time);
  declare_steady_formulation(arguments, o.equilibrium.formulation);
  arguments.option(
      "--out", "DIR",
      "write equilibrium.json and state.json; with --search equilibria.json, search.csv and "
      "search.svg, the map of residuals over the box",
      o.equilibrium.out);
  declare_force(arguments, o.equilibrium.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

void print_steady_state(const SteadyCase& steady, const State& state) {
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

void print_equilibrium(const ModelEquilibrium& result) {
  const SteadyCase& steady = *result.steady;
  const Equilibrium& found = result.found;
  const Linearisation& linear = result.linear;
  const std::string motion = describe_motion(steady, found.c);
  fmt::print("{}: steady after {} steps, residual {:.3g}\n", steady.model->title(),
             found.iterations, found.residual);
  fmt::print("moves: {}\n", motion.empty() ? "not at all" : motion);
  for (const std::string& name : found.held) fmt::print("held: {}\n", name);
  for (const std::string& name : found.contested)
    fmt::print("not held (there is no steady state with its initial value): {}\n", name);
  print_steady_state(steady, found.state);
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

void print_states(const BoxSearch& search) {
  const SteadyCase& steady = *search.steady;
  const SearchResult& result = search.result;
  fmt::print("{}: {} steady states from {} starts\n", steady.model->title(), result.states.size(),
             result.residuals.size());
  for (std::size_t k = 0; k < result.states.size(); ++k) {
    const FoundState& found = result.states[k];
    fmt::print("\n{}: {}, from {} starts, residual {:.3g}\n", k,
               !found.linear.problem.empty() ? "stability unknown"
               : found.linear.asymptotic     ? "asymptotically stable"
               : found.linear.stable         ? "stable to first order"
                                             : "unstable",
               found.starts, found.equilibrium.residual);
    const std::string motion = describe_motion(steady, found.equilibrium.c);
    if (!motion.empty()) fmt::print("  moves: {}\n", motion);
    const State& state = found.equilibrium.state;
    for (int i = 0; i < steady.problem->size(); ++i)
      fmt::print("  {} = {:.12g}\n", steady.system->component_name(i), state.x[i]);
  }
}

int search_command(const EquilibriumArguments& o) {
  const BoxSearch search = search_box(o.model, o.equilibrium);
  if (o.json)
    print_json(search_json(search));
  else if (!search.result.states.empty())
    print_states(search);
  require_found(search, o.model);
  return exit_done;
}

}  // namespace

int equilibrium_command(const Words& words) {
  EquilibriumArguments o;
  if (const std::optional<int> status = read_equilibrium_arguments(words, o)) return *status;
  o.equilibrium.watch = terminal_watch(true, !o.json);
  if (!o.equilibrium.search.empty()) return search_command(o);
  const ModelEquilibrium result = find_model_equilibrium(o.model, o.equilibrium);
  if (o.json) print_json(equilibrium_json(result));
  require_found(result, o.model);
  if (!o.json) print_equilibrium(result);
  return exit_done;
}

}  // namespace cartan::cli
