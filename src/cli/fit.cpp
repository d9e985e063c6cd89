// cartan fit: parameters of a model from measurements.
#include <cmath>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/fit_report.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/out_option.h"
#include "cli/progress.h"
#include "io/output_files.h"

namespace cartan {
namespace {

struct FitArguments {
  FitChoice choice;  // without what is free
  std::string free;
  std::string data, experiments, out;
  std::optional<double> tolerance;
  std::optional<int> iterations;
  bool json = false, force = false;
};

std::optional<int> read_fit_arguments(const Words& words, FitArguments& o) {
  Arguments arguments(
      "fit",
      "Find parameters that make the model meet measurements, in the sense of least squares, with "
      "exact derivatives; tell how well the data determine them.",
      "  cartan fit examples/pendulum.toml --data measured.csv --free L\n"
      "  cartan fit examples/constructed_pendulum_friction_b.toml --experiments swings.toml "
      "--free c3,c4 --out fitted");
  declare_model(arguments, o.choice.model);
  arguments.option("--free", "P1,P2=START",
                   "the entries of [parameters] to be found, where they begin; several sets "
                   "separated by ';' are fitted in turn and compared in one table",
                   o.free);
  arguments.option("--data", "FILE.csv",
                   "column t and columns named as quantities: JOINT.q, JOINT.v0, an output, ...",
                   o.data);
  arguments.option("--experiments", "FILE.toml",
                   "several data files, columns with scale and sigma, rows at times or events, "
                   "bounds, own starts",
                   o.experiments);
  declare_formulation(arguments, o.choice.formulation);
  arguments.option("--tolerance", "TOL", "of the simulations (default 1e-11)", o.tolerance);
  arguments.option("--iterations", "N", "at most (default 100)", o.iterations);
  arguments.option("--out", "DIR",
                   "write residuals.csv (before and after), pictures of them (SVG) and fit.json",
                   o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else if (c != ' ' || !parts.back().empty())
      parts.back() += c;
  }
  for (std::string& part : parts)
    while (!part.empty() && part.back() == ' ') part.pop_back();
  return parts;
}

// One choice per set of free parameters; none after a complaint.
std::vector<FitChoice> read_sets(const FitArguments& o) {
  std::vector<FitChoice> choices;
  for (const std::string& set : split(o.free, ';')) {
    FitChoice choice = o.choice;
    for (const std::string& word : split(set, ',')) {
      const std::size_t equals = word.find('=');
      choice.free.push_back(word.substr(0, equals));
      if (equals != std::string::npos) choice.model.sets.push_back(word);
      if (choice.free.back().empty()) {
        complain("fit", "--free: expected names of parameters, separated by commas, sets by ';'");
        return {};
      }
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

std::optional<ExperimentsText> read_measurements(FitArguments& o) {
  ExperimentsText text;
  o.choice.file = o.experiments.empty() ? o.data : o.experiments;
  Diagnostics problems(o.choice.file);
  std::optional<ExperimentsText> result;
  if (!o.experiments.empty()) {
    ModelArguments consenting = o.choice.model;  // --trust and --allow-path count for it too
    consenting.path = o.experiments;
    result = read_experiments(o.experiments, consent_of(consenting, CodeUse::never), problems);
  } else if (auto data = read_data(o.data, problems)) {
    text.experiments.push_back(std::move(*data));
    result = std::move(text);
  }
  print_findings(problems);
  return result;
}

std::string number_of_set(std::size_t k, std::size_t sets) {
  return sets > 1 ? fmt::format("-{}", k + 1) : "";
}

// What write_results will write.
std::vector<std::string> result_names(const std::vector<std::unique_ptr<FitSetup>>& setups) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < setups.size(); ++k) {
    const std::string number = number_of_set(k, setups.size());
    names.insert(names.end(), {"residuals" + number + ".csv", "fit" + number + ".json"});
    for (std::size_t e = 0; e < setups[k]->problem.experiments.size(); ++e)
      names.push_back(fmt::format("residuals{}_{}.svg", number, e + 1));
  }
  return names;
}

bool write_results(const FitArguments& o, const std::vector<FitReport>& reports) {
  std::string problem;
  const auto output = OutputFolder::open(o.out, "fit", replace_if(o.force), problem);
  bool written = output != nullptr;
  for (std::size_t k = 0; written && k < reports.size(); ++k) {
    const std::string number = number_of_set(k, reports.size());
    written = output->write("residuals" + number + ".csv", residuals_csv(reports[k]), problem) &&
              output->write("fit" + number + ".json", fit_json(reports[k]), problem);
    const std::size_t experiments = reports[k].setup.problem.experiments.size();
    for (std::size_t e = 0; written && e < experiments; ++e)
      written = output->write(fmt::format("residuals{}_{}.svg", number, e + 1),
                              residuals_svg(reports[k], static_cast<int>(e)), problem);
  }
  if (written && output->commit(problem)) return true;
  complain("fit", problem);
  return false;
}

// False after a complaint, with the exit status.
bool run_fit(const FitArguments& o, FitSetup& setup, FitResult& result) {
  if (o.tolerance) setup.problem.simulate.tolerance = *o.tolerance;
  LeastSquaresOptions options;
  options.most_iterations = o.iterations.value_or(100);
  options.stop_requested = setup.problem.simulate.stop_requested = &watch_interrupts();
  {
    Progress progress("fitting");
    options.on_iteration = [&](int iteration, double) {
      progress.show(std::min(0.99, 1.0 * iteration / options.most_iterations));
    };
    result = fit_parameters(setup.problem, options);
  }
  if (result.problem.empty()) return true;
  fmt::print(stderr, "cartan fit: no fit: {}\n", result.problem);
  return false;
}

}  // namespace

int fit_command(const Words& words) {
  FitArguments o;
  if (const std::optional<int> status = read_fit_arguments(words, o)) return *status;
  if (o.free.empty()) return complain("fit", "nothing is free; name parameters with --free P1,P2");
  if (o.data.empty() == o.experiments.empty())
    return complain("fit", "give measurements by --data FILE.csv or by --experiments FILE.toml");
  if (o.tolerance && !(*o.tolerance > 0 && *o.tolerance < 1))
    return complain("fit", "--tolerance: expected a positive number below 1");
  if (o.iterations && *o.iterations < 1)
    return complain("fit", "--iterations: expected at least 1");
  const std::optional<ExperimentsText> text = read_measurements(o);
  if (!text) return exit_bad_input;
  const std::vector<FitChoice> choices = read_sets(o);
  if (choices.empty()) return exit_bad_input;
  std::vector<std::unique_ptr<FitSetup>> setups;
  for (const FitChoice& choice : choices) {
    std::optional<FitSetup> setup = make_fit_setup(choice, *text);
    if (!setup) return exit_bad_input;
    setups.push_back(std::make_unique<FitSetup>(std::move(*setup)));
  }
  if (!may_write("fit", "fit", o.out, o.force, result_names(setups))) return exit_bad_input;
  std::vector<FitReport> reports;
  for (const auto& setup : setups) {
    reports.push_back({*setup, {}});
    if (!run_fit(o, *setup, reports.back().result)) return exit_failed;
  }
  if (!o.out.empty() && !write_results(o, reports)) return exit_failed;
  if (reports.size() > 1)
    fmt::print("{}", o.json ? alternatives_json(reports) : alternatives_text(reports));
  else
    fmt::print("{}", o.json ? fit_json(reports[0]) : fit_text(reports[0]));
  std::string warnings;
  for (const FitReport& report : reports) warnings += fit_warnings(report);
  fmt::print(stderr, "{}", warnings);
  return warnings.empty() ? exit_done : exit_failed;
}

}  // namespace cartan
