// cartan fit: parameters of a model from measurements.
#include <cmath>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/fit_report.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "io/output_files.h"

namespace cartan {
namespace {

struct Options {
  FitChoice choice;
  std::string data, experiments, out;
  std::optional<double> tolerance;
  std::optional<int> iterations;
  bool json = false;
};

std::optional<int> read_options(const Words& words, Options& o) {
  Arguments arguments(
      "fit",
      "Find parameters that make the model meet measurements, in the sense of least squares, with "
      "exact derivatives; tell how well the data determine them.",
      "  cartan fit examples/pendulum.toml --data measured.csv --free g\n"
      "  cartan fit examples/constructed_pendulum_friction_b.toml --experiments swings.toml "
      "--free c3,c4 --out fitted");
  declare_model(arguments, o.choice.model);
  arguments.list("--free", "P1,P2", "the entries of [parameters] to be found", o.choice.free);
  arguments.option("--data", "FILE.csv",
                   "column t and columns named as quantities: JOINT.q, JOINT.v0, an output, ...",
                   o.data);
  arguments.option("--experiments", "FILE.toml",
                   "several data files, columns with scale and sigma, rows at times or events, "
                   "bounds, own starts",
                   o.experiments);
  arguments.option("--formulation", "NAME", "how the equations of motion are formed",
                   o.choice.formulation);
  arguments.option("--tolerance", "TOL", "of the simulations (default 1e-11)", o.tolerance);
  arguments.option("--iterations", "N", "at most (default 100)", o.iterations);
  arguments.option("--out", "DIR", "write residuals.csv (before and after) and fit.json", o.out);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

int complain(const std::string& message) {
  fmt::print(stderr, "cartan fit: {}\n", message);
  return exit_bad_input;
}

std::optional<ExperimentsText> read_measurements(Options& o) {
  ExperimentsText text;
  o.choice.file = o.experiments.empty() ? o.data : o.experiments;
  Diagnostics problems(o.choice.file);
  std::optional<ExperimentsText> result;
  if (!o.experiments.empty()) {
    result = read_experiments(o.experiments, problems);
  } else if (auto data = read_data(o.data, problems)) {
    text.experiments.push_back(std::move(*data));
    result = std::move(text);
  }
  fmt::print(stderr, "{}", problems.text());
  return result;
}

bool write_results(const std::string& folder, const FitReport& report) {
  std::string problem;
  const auto output = OutputFolder::open(folder, problem);
  if (output && output->write("residuals.csv", residuals_csv(report), problem) &&
      output->write("fit.json", fit_json(report), problem) && output->commit(problem))
    return true;
  fmt::print(stderr, "cartan fit: {}\n", problem);
  return false;
}

}  // namespace

int fit_command(const Words& words) {
  Options o;
  if (const std::optional<int> status = read_options(words, o)) return *status;
  if (o.choice.free.empty()) return complain("nothing is free; name parameters with --free P1,P2");
  if (o.data.empty() == o.experiments.empty())
    return complain("give measurements by --data FILE.csv or by --experiments FILE.toml");
  if (o.tolerance && !(*o.tolerance > 0 && *o.tolerance < 1))
    return complain("--tolerance: expected a positive number below 1");
  if (o.iterations && *o.iterations < 1) return complain("--iterations: expected at least 1");
  const std::optional<ExperimentsText> text = read_measurements(o);
  if (!text) return exit_bad_input;
  std::optional<FitSetup> setup = make_fit_setup(o.choice, *text);
  if (!setup) return exit_bad_input;
  if (o.tolerance) setup->problem.simulate.tolerance = *o.tolerance;
  LeastSquaresOptions options;
  options.most_iterations = o.iterations.value_or(100);
  options.stop_requested = setup->problem.simulate.stop_requested = &watch_interrupts();
  FitReport report{*setup, {}};
  {
    Progress progress("fitting");
    options.on_iteration = [&](int iteration, double) {
      progress.show(std::min(0.99, 1.0 * iteration / options.most_iterations));
    };
    report.result = fit_parameters(setup->problem, options);
  }
  if (!report.result.problem.empty()) {
    fmt::print(stderr, "cartan fit: no fit: {}\n", report.result.problem);
    return exit_failed;
  }
  if (!o.out.empty() && !write_results(o.out, report)) return exit_failed;
  fmt::print("{}", o.json ? fit_json(report) : fit_text(report));
  if (report.result.open.empty() && report.result.converged) return exit_done;
  fmt::print(stderr, "{}", fit_warnings(report));
  return exit_failed;
}

}  // namespace cartan
