// cartan fit: parameters of a model from measurements.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/fit/fit.h"

namespace cartan::cli {
namespace {

struct FitArguments {
  ModelArguments model;
  api::FitOptions fit;
  bool json = false;
};

std::optional<int> read_fit_arguments(const Words& words, FitArguments& o) {
  Arguments arguments(
      "fit",
      "Find parameters that make the model meet measurements, in the sense of least squares, with "
      "exact derivatives; tell how well the data determine them.",
      "  cartan fit examples/pendulum.toml --data measured.csv --free L\n"
      "  cartan fit examples/constructed_pendulum_friction_b.toml --experiments swings.toml "
      "--free c3,c4 --out fitted");
  declare_model(arguments, o.model);
  arguments.option("--free", "P1,P2=START",
                   "the entries of [parameters] to be found, where they begin; several sets "
                   "separated by ';' are fitted in turn and compared in one table",
                   o.fit.free);
  arguments.option("--data", "FILE.csv",
                   "column t and columns named as quantities: JOINT.q, JOINT.v0, an output, ...",
                   o.fit.data);
  arguments.option("--experiments", "FILE.toml",
                   "several data files, columns with scale and sigma, rows at times or events, "
                   "bounds, own starts",
                   o.fit.experiments);
  declare_formulation(arguments, o.fit.formulation);
  arguments.option("--tolerance", "TOL", "of the simulations (default 1e-11)", o.fit.tolerance);
  arguments.option("--iterations", "N", "at most (default 100)", o.fit.iterations);
  arguments.option("--out", "DIR",
                   "write residuals.csv (before and after), pictures of them (SVG) and fit.json",
                   o.fit.out);
  declare_force(arguments, o.fit.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

}  // namespace

int fit_command(const Words& words) {
  FitArguments o;
  if (const std::optional<int> status = read_fit_arguments(words, o)) return *status;
  o.fit.watch = interruptible(terminal_watch());
  const FittedModel fitted = fit_model(o.model, o.fit);
  const std::vector<FitReport>& reports = fitted.reports;
  if (reports.size() > 1)
    fmt::print("{}", o.json ? alternatives_json(reports) : alternatives_text(reports));
  else
    fmt::print("{}", o.json ? fit_json(reports[0]) : fit_text(reports[0]));
  std::string warnings;
  for (const FitReport& report : reports) warnings += fit_warnings(report);
  fmt::print(stderr, "{}", warnings);
  return warnings.empty() ? exit_done : exit_failed;
}

}  // namespace cartan::cli
