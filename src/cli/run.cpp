// cartan run: simulate a model, print a summary, write the motion.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/terminal/arguments.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/run/run.h"
#include "results/run/stabilisation.h"

namespace cartan::cli {
namespace {

struct RunCommandArguments {
  ModelArguments model;
  api::RunOptions run;
  std::string estimate = "on";
  bool json = false, quiet = false;
};

std::optional<int> read_command_line(const Words& words, RunCommandArguments& o) {
  Arguments arguments("run", "Simulate a model: print a summary and, with --out, write the motion.",
                      "  cartan run examples/heavy_top.toml --duration 2 --out result\n"
                      "  cartan run examples/heavy_top.toml --from result --duration 2 --out more");
  declare_model(arguments, o.model);
  const SimulateOptions fallback;
  declare_formulation(arguments, o.run.formulation);
  arguments.option("--integrator", "NAME",
                   fmt::format("how they are integrated: {} (default: the file's, else {})",
                               integrator_names(), fallback.integrator),
                   o.run.integrator);
  arguments.option("--step", "H",
                   fmt::format("step of fixed-step methods, recording interval of adaptive ones "
                               "(default: the file's, else {:g})",
                               fallback.step),
                   o.run.step);
  declare_duration_and_tolerance(arguments, o.run.duration, o.run.tolerance);
  arguments.option("--spectral-radius", "RHO",
                   fmt::format("generalized-alpha: what a step leaves of motions much faster than "
                               "it, 0 to 1 (default: {:g})",
                               fallback.spectral_radius),
                   o.run.spectral_radius);
  arguments.option(
      "--every", "K",
      fmt::format("record every K-th step (default: the file's, else {})", fallback.every),
      o.run.every);
  arguments.option(
      "--from", "STATE",
      "start from a STATE.json, a trajectory.csv or the folder of an earlier run (its end)",
      o.run.from);
  arguments.list("--record", "LIST",
                 "further tables: reactions,multipliers,constraints,power,forces,contacts,"
                 "elements "
                 "(need --out)",
                 o.run.record);
  arguments.flag("--power",
                 "the balance T' + V' = P at every sample: columns of trajectory.csv, largest "
                 "residual",
                 o.run.power);
  declare_stabilisation(arguments, o.run.stabilisation);
  declare_rows(arguments, o.run.rows);
  arguments.option("--elimination", "NAME",
                   "rotation-elements: two-step (default: Lambda body by body, then the joints) or "
                   "one-step (all multipliers in one dense system)",
                   o.run.elimination);
  arguments.option("--norm", "max|rms",
                   "rk45, dop853: what error control keeps below the tolerance, the largest error "
                   "of a number (default) or the root of their mean square",
                   o.run.norm);
  arguments.option("--iteration", "NAME",
                   "gl1, gl2, ..: how stages are solved, newton (default: fixed point with "
                   "extrapolated starts, Newton where that is slow) or functional (plain fixed "
                   "point from the slope at the start)",
                   o.run.iteration);
  arguments.option(
      "--estimate", "on|off",
      "estimate the error of the end by a second run of about half the time; default on",
      o.estimate);
  arguments.option("--out", "DIR",
                   "write trajectory.csv, bodies.csv, events.csv, ... to this folder", o.run.out);
  declare_force(arguments, o.run.force);
  arguments.flag(
      "--keep-partial",
      "write what a run that fails or is interrupted has come to, marked as a part (needs "
      "--out)",
      o.run.keep_partial);
  arguments.flag("--report",
                 "also write report.html: summary, charts, viewer, provenance (needs --out)",
                 o.run.report);
  arguments.flag("--json", "print one JSON object instead of the summary", o.json);
  arguments.flag("--quiet", "print nothing but errors", o.quiet);
  return arguments.parse(words);
}

// "" or what is wrong with the options as the command line has them.
std::string find_contradiction(const RunCommandArguments& o) {
  if (read_extra_tables(o.run.record).any() && o.run.out.empty())
    return "--record writes tables to a folder; give --out DIR too";
  if (o.estimate != "on" && o.estimate != "off")
    return fmt::format("--estimate: expected on or off, got '{}'", o.estimate);
  return "";
}

}  // namespace

int run_command(const Words& words) {
  RunCommandArguments o;
  if (const std::optional<int> status = read_command_line(words, o)) return *status;
  if (const std::string wrong = find_contradiction(o); !wrong.empty())
    return complain("run", wrong);
  // without these nobody would read it
  o.run.estimate = o.estimate == "on" && (!o.quiet || o.json || !o.run.out.empty());
  o.run.watch = interruptible(terminal_watch(!o.quiet, !o.quiet));
  const FinishedRun run =
      run_model(o.model, o.run, Keep::nothing, fmt::format("cartan run {}", fmt::join(words, " ")));
  if (o.json) {
    fmt::print("{}", summary_json(run.result, true));
  } else if (!o.quiet) {
    fmt::print("{}", summary_text(run.result));
    if (!run.folder.empty())
      fmt::print("\nWritten to {}: {}\n", run.folder, fmt::join(run.files, ", "));
  }
  return exit_done;
}

}  // namespace cartan::cli
