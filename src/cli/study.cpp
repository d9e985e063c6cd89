// cartan study: many runs of one model with numbers that vary.
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "integrate/integrator.h"
#include "results/run/run_settings.h"
#include "results/study/run_study.h"

namespace cartan::cli {
namespace {

struct StudyArguments {
  ModelArguments model;  // its path: a study file or a model
  api::StudyOptions study;
  bool json = false, quiet = false;
};

std::optional<int> read_study_arguments(const Words& words, StudyArguments& o) {
  Arguments arguments(
      "study",
      "Run a model many times with numbers that vary: samples, tables or grids; keep a few "
      "quantities of every run; print their statistics and Sobol indices.",
      "  cartan study examples/studies/pendulum_period.toml --out result\n"
      "  cartan study examples/pendulum.toml --vary \"tilt=uniform(0.1,1.5)\" --runs 1000 \\\n"
      "    --keep \"lowest=min(potential)\"\n"
      "  cartan study study.toml --out result --resume\n"
      "  cartan study study.toml --out result --part 3/16\n"
      "  mpirun -n 64 cartan study study.toml --out result");
  arguments.positional("STUDY", "study file, or a model file with --vary, --keep and --runs",
                       o.model.path);
  arguments.repeated("--vary", "NAME=LAW",
                     "a parameter or initial value (JOINT.q, JOINT.v, VARIABLE) and how it varies: "
                     "uniform(LOW,HIGH), normal(MEAN,DEVIATION), lognormal(MEAN,DEVIATION of the "
                     "logarithm), triangular(LOW,MODE,HIGH), values(..), table(FILE,COLUMN), "
                     "lin(A,B,N), log(A,B,N), grid(..); repeatable",
                     o.study.vary);
  arguments.repeated("--keep", "NAME=HOW",
                     "what is kept of a run: final(EXPR), max, min, mean, rms, integral, at(TIME, "
                     "EXPR), event(NAME, EXPR), count(NAME); repeatable",
                     o.study.keep);
  arguments.option("--runs", "N", "how many samples; a grid multiplies them", o.study.runs);
  arguments.option("--sampling", "HOW", "sobol (default), latin-hypercube, random",
                   o.study.sampling);
  arguments.option("--seed", "N", "of the samples (default: 1)", o.study.seed);
  arguments.option(
      "--indices", "on|off",
      "Sobol indices (default: where two or more inputs are sampled by sobol or random "
      "and there is no grid)",
      o.study.indices);
  arguments.option("--trajectories", "N", "keep the whole motion of so many runs (needs --out)",
                   o.study.trajectories);
  declare_formulation(arguments, o.study.formulation);
  arguments.option("--integrator", "NAME",
                   fmt::format("{} (default: the file's, else {})", integrator_names(),
                               SimulateOptions().integrator),
                   o.study.integrator);
  arguments.option("--step", "H", "as for `run` (default: the file's)", o.study.step);
  declare_duration_and_tolerance(arguments, o.study.duration, o.study.tolerance);
  arguments.option("--backend", "NAME",
                   "who computes: reference, run by run as `run` does (default); cpu, runs side by "
                   "side in SIMD lanes; gpu, one thread of an NVIDIA GPU per run",
                   o.study.backend);
  arguments.option("--threads", "N", "default: one per core", o.study.threads);
  arguments.option("--out", "DIR",
                   "write runs.csv, runs.nc, summary.json; blocks of runs as they end",
                   o.study.out);
  arguments.flag("--resume", "go on with the study in --out, which was interrupted",
                 o.study.resume);
  arguments.option(
      "--part", "K/N",
      "compute only the K-th of N parts into --out; whoever ends last makes the tables",
      o.study.part);
  declare_force(arguments, o.study.force);
  arguments.repeated("--set", "NAME=VALUE", "override an entry of [parameters]; repeatable",
                     o.model.sets);
  declare_consent(arguments, o.model);
  arguments.flag("--json", "print one JSON object: what summary.json holds", o.json);
  arguments.flag("--quiet", "print nothing but errors", o.quiet);
  return arguments.parse(words);
}

// Where there is no terminal for a bar (the log of a batch job): a line a minute.
std::function<void(const std::string&, double)> progress_lines() {
  using Clock = std::chrono::steady_clock;
  return [begin = Clock::now(), last = Clock::now()](const std::string&, double part) mutable {
    const auto now = Clock::now();
    if (now - last < std::chrono::minutes(1)) return;
    last = now;
    const double spent = std::chrono::duration<double>(now - begin).count();
    fmt::print(stderr, "cartan study: {:.1f} % of the runs{}\n", 100 * part,
               part > 0 ? fmt::format(", about {:.0f} s left", spent * (1 - part) / part) : "");
  };
}

void tell_part(const StudyResult& result) {
  const std::uint64_t all = result.store->plan().count();
  fmt::print(
      "part {} of {} is done: {} of {} blocks are there; whoever ends last makes the "
      "tables, or --resume does\n",
      result.part, result.parts, all - result.missing, all);
}

void print_study(const StudyResult& result) {
  if (!result.statistics) return tell_part(result);
  fmt::print("{}", study_summary(*result.study, *result.statistics, result.provenance));
  if (result.output)
    fmt::print("\nWritten to {}: {}\n", result.output->path(),
               fmt::join(result.output->names(), ", "));
}

}  // namespace

int study_command(const Words& words) {
  StudyArguments o;
  if (const std::optional<int> status = read_study_arguments(words, o)) return *status;
  o.model.quiet = o.quiet;
  o.study.watch = interruptible(terminal_watch(!o.quiet, !o.quiet));
  if (!o.quiet && !isatty(STDERR_FILENO)) o.study.watch.progress = progress_lines();
  const StudyResult result = run_study(o.model, o.study);
  if (result.helped) return exit_done;
  if (o.json)
    fmt::print("{}", study_result_json(result));
  else if (!o.quiet)
    print_study(result);
  return result.problem.empty() ? exit_done : complain("study", result.problem, exit_failed);
}

}  // namespace cartan::cli
