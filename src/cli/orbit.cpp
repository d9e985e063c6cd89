// cartan orbit: a periodic orbit near the initial state, its period and its Floquet multipliers.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/orbits/orbit.h"

namespace cartan::cli {
namespace {

struct OrbitArguments {
  ModelArguments model;
  api::OrbitOptions orbit;
  bool json = false;
};

std::optional<int> read_orbit_arguments(const Words& words, OrbitArguments& o) {
  Arguments arguments(
      "orbit",
      "Find a periodic orbit near the initial state by Newton's method; print its period, a state "
      "on "
      "it and its Floquet multipliers.",
      "  cartan orbit examples/roessler.toml --section y --period 6\n"
      "  cartan orbit examples/duffing.toml --set drive=0.2 --driven --period '2*pi/omega'\n"
      "  cartan orbit examples/compass_walker.toml --swap left=right --period 0.72\n"
      "  cartan orbit examples/duffing.toml --set drive=0.2 --driven --period '2*pi/omega' "
      "--inputs "
      "drive --outputs x --frequency 'log(0.1,10,50)'");
  declare_model(arguments, o.model);
  declare_formulation(arguments, o.orbit.formulation);
  declare_start(arguments, o.orbit.from);
  arguments.option("--period", "T",
                   "guess of the period; with --driven the period itself (an expression of the "
                   "parameters)",
                   o.orbit.period);
  arguments.option("--section", "EXPR",
                   "where the orbit begins: EXPR = 0; default: where the initial state is",
                   o.orbit.section);
  arguments.flag("--driven", "the equations depend on time and repeat after the period",
                 o.orbit.driven);
  arguments.option("--shooting", "N", "nodes along the orbit (multiple shooting); default 1",
                   o.orbit.shooting);
  arguments.repeated(
      "--hold", "EXPR",
      "keep EXPR at its initial value, where orbits form families; repeatable; default: the "
      "energy, where there are no losses",
      o.orbit.hold);
  arguments.option("--swap", "A=B",
                   "the orbit closes after parts have exchanged their names: every A in a name "
                   "becomes B and the other way round (one step of a walker); coordinates that do "
                   "not enter the equations may go on",
                   o.orbit.swap);
  arguments.option("--tolerance", "TOL", "error tolerance of the integration; default 1e-13",
                   o.orbit.tolerance);
  arguments.option("--inputs", "P1,P2", "parameters or inputs that shake the orbit a little",
                   o.orbit.inputs);
  arguments.option("--outputs", "EXPR,EXPR", "expressions that are seen", o.orbit.outputs);
  arguments.option("--frequency", "log(A,B,N)",
                   "the response to inputs of these frequencies w, rad/s (or lin(A,B,N)), at w + k "
                   "Omega with Omega = 2 pi / period",
                   o.orbit.frequency);
  arguments.option("--harmonics", "N", "k from -N to N; default 2", o.orbit.harmonics);
  arguments.option("--out", "DIR",
                   "write orbit.json, with --frequency also frequency.csv, Bode and Nyquist charts",
                   o.orbit.out);
  declare_force(arguments, o.orbit.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

std::string complex_text(const std::complex<double>& z) {
  if (z.imag() == 0) return fmt::format("{:.12g}", z.real());
  return fmt::format("{:.12g} {} {:.12g} i", z.real(), z.imag() < 0 ? '-' : '+',
                     std::fabs(z.imag()));
}

void print_orbit(const Analysis& a, const Orbit& orbit) {
  fmt::print("{}: an orbit of period {:.15g} after {} Newton steps (residual {:.2g})\n",
             a.model->title(), orbit.point.period, orbit.newton_steps, orbit.residual);
  const int count = a.system->space().size() - a.system->quadratures();
  for (int i = 0; i < count; ++i)
    fmt::print("  {} = {:.15g}\n", a.system->component_name(i), orbit.state().x[i]);
  for (const auto& [number, count] : orbit.turns)
    fmt::print("{} has turned {} time{}\n", a.system->component_name(number), count,
               count == 1 ? "" : "s");
  for (const auto& [number, shift] : orbit.shifts)
    fmt::print("{} has gone on by {:.12g}\n", a.system->component_name(number), shift);
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
  o.orbit.watch = interruptible(terminal_watch());
  const FoundOrbit found = [&] {
    const InterruptDeadline deadline("orbit");
    return find_model_orbit(o.model, o.orbit);
  }();
  if (o.json) {
    print_json(orbit_json(found));
    return exit_done;
  }
  print_orbit(found.analysis, found.orbit);
  if (!found.held.empty()) fmt::print("held: {}\n", fmt::join(found.held, ", "));
  if (found.response) fmt::print("{}", found.response->text);
  return exit_done;
}

}  // namespace cartan::cli
