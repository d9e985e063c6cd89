#include <algorithm>
#include <sstream>

#include <cartan/equations.h>
#include <cartan/fit.h>
#include <cartan/generate.h>
#include <cartan/plot.h>

#include "api/inside.h"
#include "results/code/equations_text.h"
#include "results/code/generate.h"
#include "results/fit/fit.h"
#include "results/plot/plot.h"
#include "results/refusal.h"

namespace cartan::api {
namespace {

std::vector<std::string> warnings_of(const FitReport& report) {
  std::vector<std::string> list;
  std::istringstream lines(fit_warnings(report));
  for (std::string line; std::getline(lines, line);)
    list.push_back(line.substr(line.find(": ") + 2));
  return list;
}

Fit public_fit(const FitReport& report) {
  const FitResult& r = report.result;
  const FitProblem& problem = report.setup.problem;
  Fit fit;
  for (std::size_t j = 0; j < report.setup.names.size(); ++j) {
    const int i = static_cast<int>(j);
    FittedParameter one;
    one.name = report.setup.names[j];
    one.start = problem.start(i);
    one.value = r.theta(i);
    one.at_bound = std::count(r.at_bound.begin(), r.at_bound.end(), i) > 0;
    if (r.standard_errors.size() > 0) {
      one.standard_error = r.standard_errors(i);
      one.low = r.interval_low(i);
      one.high = r.interval_high(i);
    }
    fit.parameters.push_back(std::move(one));
  }
  fit.initial_cost = r.initial_cost;
  fit.final_cost = r.final_cost;
  if (r.standard_errors.size() > 0) fit.covariance = public_rows(r.covariance);
  fit.converged = r.converged;
  fit.iterations = r.iterations;
  for (const FitPoint& p : r.points) {
    const FitExperiment& e = problem.experiments[p.experiment];
    fit.residuals.push_back(
        {e.name, e.columns[p.column].name, p.row, p.t, p.measured, p.before, p.after});
  }
  fit.warnings = warnings_of(report);
  fit.text = fit_text(report);
  fit.json = fit_json(report);
  return fit;
}

}  // namespace

std::vector<Fit> fit_alternatives(const Model& model, const FitOptions& options) {
  const FittedModel fitted = fit_model(source_of(model), options);
  std::vector<Fit> fits;
  for (const FitReport& report : fitted.reports) fits.push_back(public_fit(report));
  return fits;
}

Fit fit(const Model& model, const FitOptions& options) {
  if (options.free.find(';') != std::string::npos)
    refuse("fit", "free: expected one set of parameters; fit_alternatives takes several");
  return std::move(fit_alternatives(model, options).front());
}

std::string equations(const Model& model, const EquationsOptions& options) {
  return derive_equations(source_of(model), options).text;
}

GeneratedCode generate(const Model& model, const GenerateOptions& options) {
  const GeneratedModel generated = generate_model(source_of(model), options);
  GeneratedCode code;
  for (const GeneratedFile& file : generated.files) code.files.push_back({file.name, file.text});
  code.states = generated.unit->arguments[1].labels;
  code.parameters = generated.unit->arguments[2].labels;
  code.hash = generated.unit->model_hash;
  code.json = generated_json(generated, options).dump(2) + "\n";
  return code;
}

std::vector<std::string> plot(const std::vector<std::string>& paths, const PlotOptions& options) {
  return draw_plots(paths, options);
}

}  // namespace cartan::api
