// cartan lyapunov: how fast neighbouring motions part, and sections of the motion.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "io/output_files.h"
#include "results/orbits/exponents.h"

namespace cartan::cli {
namespace {

struct LyapunovArguments {
  ModelArguments model;
  api::LyapunovOptions lyapunov;
  bool json = false, quiet = false;
};

std::optional<int> read_lyapunov_arguments(const Words& words, LyapunovArguments& o) {
  Arguments arguments(
      "lyapunov",
      "Lyapunov exponents of the motion from the initial state; with --section its crossings of a "
      "surface.",
      "  cartan lyapunov examples/roessler.toml --set a=0.398 --duration 20000\n"
      "  cartan lyapunov examples/duffing.toml --section 'sin(omega*t)' --out result");
  declare_model(arguments, o.model);
  declare_formulation(arguments, o.lyapunov.formulation);
  declare_start(arguments, o.lyapunov.from);
  arguments.option("--duration", "T", "time over which the average is taken; default 1000",
                   o.lyapunov.duration);
  arguments.option("--transient", "T", "time before it; default a tenth of the duration",
                   o.lyapunov.transient);
  arguments.option("--step", "H",
                   "time between orthonormalisations; default: when the displacements need it",
                   o.lyapunov.step);
  arguments.option("--tolerance", "TOL", "error tolerance of the integration; default 1e-9",
                   o.lyapunov.tolerance);
  arguments.option("--section", "EXPR", "note the states where EXPR rises through zero",
                   o.lyapunov.section);
  arguments.option("--out", "DIR", "write them to section.csv in this folder", o.lyapunov.out);
  declare_force(arguments, o.lyapunov.force);
  arguments.flag("--json", "print one JSON object", o.json);
  arguments.flag("--quiet", "no progress bar", o.quiet);
  return arguments.parse(words);
}

void print_exponents(const Model& model, const LyapunovResult& result) {
  fmt::print("{}: Lyapunov exponents over {:g} time units ({} decompositions)\n", model.title(),
             result.duration, result.decompositions);
  for (std::size_t i = 0; i < result.exponents.size(); ++i)
    fmt::print("  {:>14.8g}  +- {:.2g}\n", result.exponents[i], result.errors[i]);
}

}  // namespace

int lyapunov_command(const Words& words) {
  LyapunovArguments o;
  if (const std::optional<int> status = read_lyapunov_arguments(words, o)) return *status;
  o.lyapunov.watch = interruptible(terminal_watch(true, !o.quiet));
  const MotionExponents found = [&] {
    const InterruptDeadline deadline("lyapunov", discard_open_folders);
    return calc_model_exponents(o.model, o.lyapunov);
  }();
  if (o.json) {
    print_json(exponents_json(found));
    return exit_done;
  }
  print_exponents(*found.analysis.model, found.result);
  if (found.crossings)
    fmt::print("Written: {}/section.csv ({} crossings)\n", o.lyapunov.out, *found.crossings);
  return exit_done;
}

}  // namespace cartan::cli
