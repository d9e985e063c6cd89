// cartan orbit: a periodic orbit near the initial state, its period and its Floquet multipliers.
#include "analysis/orbit.h"

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/option_names.h"
#include "results/load/analysis_state.h"

namespace cartan {
namespace {

struct OrbitArguments {
  AnalysisArguments analysis;
  std::string section, period;
  std::vector<std::string> holds;
  std::optional<int> shooting;
  std::optional<double> tolerance;
  bool driven = false, json = false;
};

std::optional<int> read_orbit_arguments(const Words& words, OrbitArguments& o) {
  Arguments arguments(
      "orbit",
      "Find a periodic orbit near the initial state by Newton's method; print its period, a state "
      "on "
      "it and its Floquet multipliers.",
      "  cartan orbit examples/roessler.toml --section y --period 6\n"
      "  cartan orbit examples/duffing.toml --set drive=0.2 --driven --period '2*pi/omega'");
  declare_analysis(arguments, o.analysis);
  arguments.option("--period", "T",
                   "guess of the period; with --driven the period itself (an expression of the "
                   "parameters)",
                   o.period);
  arguments.option("--section", "EXPR",
                   "where the orbit begins: EXPR = 0; default: where the initial state is",
                   o.section);
  arguments.flag("--driven", "the equations depend on time and repeat after the period", o.driven);
  arguments.option("--shooting", "N", "nodes along the orbit (multiple shooting); default 1",
                   o.shooting);
  arguments.repeated(
      "--hold", "EXPR",
      "keep EXPR at its initial value, where orbits form families; repeatable; default: the "
      "energy, where there are no losses",
      o.holds);
  arguments.option("--tolerance", "TOL", "error tolerance of the integration; default 1e-13",
                   o.tolerance);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

Json turns_json(const System& system, const Orbit& orbit) {
  Json turns = Json::object();
  for (const auto& [number, count] : orbit.turns) turns[system.component_name(number)] = count;
  return turns;
}

std::string complex_text(const std::complex<double>& z) {
  if (z.imag() == 0) return fmt::format("{:.12g}", z.real());
  return fmt::format("{:.12g} {} {:.12g} i", z.real(), z.imag() < 0 ? '-' : '+',
                     std::fabs(z.imag()));
}

// Without losses and drives there is an orbit for every energy: this one, unless the formulation
// has no expressions.
bool keeps_energy(const Analysis& a) {
  std::string problem;
  return a.model->is_mechanism() && a.system->quadratures() == 0 &&
         make_state_function(*a.system, *a.model, "kinetic + potential", problem);
}

void print_orbit(const Analysis& a, const Orbit& orbit) {
  fmt::print("{}: an orbit of period {:.15g} after {} Newton steps (residual {:.2g})\n",
             a.model->name, orbit.point.period, orbit.newton_steps, orbit.residual);
  print_state(a, orbit.state());
  for (const auto& [number, count] : orbit.turns)
    fmt::print("{} has turned {} time{}\n", a.system->component_name(number), count,
               count == 1 ? "" : "s");
  fmt::print("Floquet multipliers{:>25}\n", "size");
  for (const std::complex<double>& m : orbit.multipliers)
    fmt::print("  {:<38}{:.12g}\n", complex_text(m), std::abs(m));
  fmt::print("{}", orbit.attracting ? "stable, attracting"
                   : orbit.stable   ? "stable, but not attracting"
                                    : "unstable");
  if (orbit.neutral > 0)
    fmt::print(" ({} multiplier{} 1 left aside)", orbit.neutral, orbit.neutral == 1 ? "" : "s");
  fmt::print("\n");
}

}  // namespace

int orbit_command(const Words& words) {
  OrbitArguments o;
  if (const std::optional<int> status = read_orbit_arguments(words, o)) return *status;
  if (o.period.empty())
    return complain("orbit", "expected --period T, a guess (or with --driven the period)",
                    exit_bad_input);
  if (o.shooting && !(*o.shooting >= 1 && *o.shooting <= most_shooting_nodes))
    return complain("orbit", refuse_shooting(*o.shooting), exit_bad_input);
  if (o.tolerance && !(*o.tolerance > 0))
    return complain("orbit", "--tolerance: expected a positive number", exit_bad_input);
  Analysis a;
  if (!load_analysis(o.analysis, a)) return exit_bad_input;
  const auto workspace = a.system->make_workspace();
  const std::optional<double> period = read_value(*a.model, o.period, "--period");
  if (!period) return exit_bad_input;

  OrbitOptions options;
  options.period = *period;
  if (!(options.period > 0) || !std::isfinite(options.period))
    return complain(
        "orbit",
        fmt::format("--period {}: expected a positive number, got {:g}", o.period, options.period),
        exit_bad_input);
  options.shooting = o.shooting.value_or(1);
  options.problem.driven = o.driven;
  std::vector<std::unique_ptr<StateFunction>> functions;
  if (!o.section.empty()) {
    functions.push_back(read_function(a, o.section, "--section"));
    if (!functions.back()) return exit_bad_input;
    if (o.driven) fmt::print(stderr, "cartan orbit: --section has no effect with --driven\n");
    options.problem.section = functions.back().get();
  }
  if (o.holds.empty() && !o.driven && keeps_energy(a)) o.holds = {"kinetic + potential"};
  for (const std::string& text : o.holds) {
    functions.push_back(read_function(a, text, "--hold"));
    if (!functions.back()) return exit_bad_input;
    const StateFunction* hold = functions.back().get();
    options.problem.holds.push_back({hold, hold->value(a.start, *workspace)});
  }
  if (o.tolerance) options.flow.tolerance = *o.tolerance;
  options.flow.stop_requested = &watch_interrupts();

  const auto begin = std::chrono::steady_clock::now();
  const Orbit orbit = [&] {
    const InterruptDeadline deadline("orbit");
    return find_orbit(*a.system, a.start, options);
  }();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!orbit.found())
    return complain("orbit", *options.flow.stop_requested ? "interrupted" : orbit.problem,
                    exit_failed);
  if (!o.json) {
    print_orbit(a, orbit);
    if (!o.holds.empty()) fmt::print("held: {}\n", fmt::join(o.holds, ", "));
    return exit_done;
  }
  print_json({{"model", a.model->name},
              {"state", analysis_state_json(a, orbit.state())},
              {"period", orbit.point.period},
              {"multipliers", complex_json(orbit.multipliers)},
              {"stable", orbit.stable},
              {"attracting", orbit.attracting},
              {"neutral", orbit.neutral},
              {"held", o.holds},
              {"newton_steps", orbit.newton_steps},
              {"residual", orbit.residual},
              {"turns", turns_json(*a.system, orbit)},
              {"evaluations", orbit.evaluations},
              {"wall_seconds", seconds}});
  return exit_done;
}

}  // namespace cartan
