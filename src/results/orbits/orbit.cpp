#include "results/orbits/orbit.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "results/orbits/swap.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

Json turns_json(const System& system, const Orbit& orbit) {
  Json turns = Json::object();
  for (const auto& [number, count] : orbit.turns) turns[system.component_name(number)] = count;
  return turns;
}

Json shifts_json(const System& system, const Orbit& orbit) {
  Json shifts = Json::object();
  for (const auto& [number, shift] : orbit.shifts) shifts[system.component_name(number)] = shift;
  return shifts;
}

// Without losses and drives there is an orbit for every energy: this one, unless the formulation
// has no expressions.
bool keeps_energy(const Analysis& a) {
  std::string problem;
  return a.model->is_mechanism() && a.system->quadratures() == 0 &&
         make_state_function(*a.system, *a.model, "kinetic + potential", problem);
}

void check_orbit(const api::OrbitOptions& o) {
  if (o.period.empty())
    refuse("orbit", "expected --period T, a guess (or with --driven the period)");
  if (!(o.shooting >= 1 && o.shooting <= most_shooting_nodes))
    refuse("orbit", refuse_shooting(o.shooting));
  if (o.tolerance && !(*o.tolerance > 0))
    refuse("orbit", "--tolerance: expected a positive number");
}

void write_orbit(const api::OrbitOptions& o, const FoundOrbit& found) {
  std::string problem;
  const std::unique_ptr<OutputFolder> output =
      OutputFolder::open(o.out, "orbit", replace_if(o.force), problem);
  if (!output) refuse("orbit", problem);
  bool good = output->write("orbit.json", orbit_json(found).dump(2) + "\n", problem);
  if (found.response)
    for (const auto& [name, content] : found.response->files)
      good = good && output->write(name, content, problem);
  if (!good || !output->commit(problem)) fail("orbit", problem);
}

}  // namespace

FoundOrbit find_model_orbit(const ModelArguments& model, const api::OrbitOptions& o) {
  check_orbit(o);
  FoundOrbit found;
  found.analysis = load_analysis({model, o.formulation, o.from}, o.watch);
  const Analysis& a = found.analysis;
  const ControlChannels channels = read_orbit_channels(a, o);
  require_room("orbit", "orbit", o.out, o.force, {"orbit.json"});
  const auto workspace = a.system->make_workspace();

  OrbitOptions options;
  options.period = read_value(*a.model, o.period, "--period");
  if (!(options.period > 0) || !std::isfinite(options.period))
    refuse("orbit", fmt::format("--period {}: expected a positive number, got {:g}", o.period,
                                options.period));
  options.shooting = o.shooting;
  options.problem.driven = o.driven;
  std::vector<std::unique_ptr<StateFunction>> functions;
  if (!o.section.empty()) {
    functions.push_back(read_function(a, o.section, "--section"));
    if (o.driven) tell(o.watch, "cartan orbit: --section has no effect with --driven");
    options.problem.section = functions.back().get();
  }
  found.held = o.hold;
  if (found.held.empty() && !o.driven && keeps_energy(a)) found.held = {"kinetic + potential"};
  for (const std::string& text : found.held) {
    functions.push_back(read_function(a, text, "--hold"));
    const StateFunction* hold = functions.back().get();
    options.problem.holds.push_back({hold, hold->value(a.start, *workspace)});
  }
  if (o.tolerance) options.flow.tolerance = *o.tolerance;
  options.flow.stop_requested = o.watch.stop;
  if (!o.swap.empty()) options.problem.swap = read_swap("orbit", *a.system, o.swap);
  State start = a.start;
  bool moved = false;
  if (std::string problem = leave_event(*a.system, options, start, moved); !problem.empty())
    fail("orbit", problem);
  if (moved)
    tell(o.watch,
         "cartan orbit: the state jumps next to the start; the search begins a part of the period "
         "later");

  const auto begin = std::chrono::steady_clock::now();
  found.orbit = find_orbit(*a.system, start, options);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!found.orbit.found()) fail("orbit", stopped(o.watch) ? "interrupted" : found.orbit.problem);
  if (!channels.frequencies.empty())
    found.response = report_orbit_response(a, found.orbit, channels, o);
  if (!o.out.empty()) write_orbit(o, found);
  return found;
}

Json orbit_json(const FoundOrbit& found) {
  const Analysis& a = found.analysis;
  const Orbit& orbit = found.orbit;
  Json json = {{"model", a.model->name},
               {"state", analysis_state_json(a, orbit.state())},
               {"period", orbit.point.period},
               {"multipliers", complex_json(orbit.multipliers)},
               {"stable", orbit.stable},
               {"attracting", orbit.attracting},
               {"neutral", orbit.neutral},
               {"held", found.held},
               {"newton_steps", orbit.newton_steps},
               {"residual", orbit.residual},
               {"turns", turns_json(*a.system, orbit)},
               {"shifts", shifts_json(*a.system, orbit)},
               {"evaluations", orbit.evaluations},
               {"wall_seconds", found.seconds}};
  if (found.response) json["frequency"] = found.response->json;
  return json;
}

}  // namespace cartan::results
