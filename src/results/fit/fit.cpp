#include "results/fit/fit.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/output_files.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

std::vector<std::string> split_words(const std::string& text, char separator) {
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

// One choice per set of free parameters.
std::vector<FitChoice> read_sets(const ModelArguments& model, const api::FitOptions& o) {
  std::vector<FitChoice> choices;
  for (const std::string& set : split_words(o.free, ';')) {
    FitChoice choice{model, {}, o.formulation, o.experiments.empty() ? o.data : o.experiments};
    for (const std::string& word : split_words(set, ',')) {
      const std::size_t equals = word.find('=');
      choice.free.push_back(word.substr(0, equals));
      if (equals != std::string::npos) choice.model.sets.push_back(word);
      if (choice.free.back().empty())
        refuse("fit", "--free: expected names of parameters, separated by commas, sets by ';'");
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

ExperimentsText read_measurements(const ModelArguments& model, const api::FitOptions& o) {
  Diagnostics problems(o.experiments.empty() ? o.data : o.experiments);
  std::optional<ExperimentsText> result;
  if (!o.experiments.empty()) {
    ModelArguments consenting = model;  // trust and allowed folders count for it too
    consenting.path = o.experiments;
    result =
        read_experiments(o.experiments, consent_of(consenting, CodeUse::never, o.watch), problems);
  } else if (auto data = read_data(o.data, problems)) {
    result.emplace();
    result->experiments.push_back(std::move(*data));
  }
  if (!result) refuse(problems, consent_remedy(problems));
  return std::move(*result);
}

std::string number_of_set(std::size_t k, std::size_t sets) {
  return sets > 1 ? fmt::format("-{}", k + 1) : "";
}

// What write_fits will write.
std::vector<std::string> fit_files(const std::vector<std::unique_ptr<FitSetup>>& setups) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < setups.size(); ++k) {
    const std::string number = number_of_set(k, setups.size());
    names.insert(names.end(), {"residuals" + number + ".csv", "fit" + number + ".json"});
    for (std::size_t e = 0; e < setups[k]->problem.experiments.size(); ++e)
      names.push_back(fmt::format("residuals{}_{}.svg", number, e + 1));
  }
  return names;
}

void write_fits(const api::FitOptions& o, const std::vector<FitReport>& reports) {
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
  if (!written || !output->commit(problem)) fail("fit", problem);
}

FitResult run_fit(const api::FitOptions& o, FitSetup& setup) {
  if (o.tolerance) setup.problem.simulate.tolerance = *o.tolerance;
  LeastSquaresOptions options;
  options.most_iterations = o.iterations;
  options.stop_requested = setup.problem.simulate.stop_requested = o.watch.stop;
  Task task(o.watch, "fitting");
  options.on_iteration = [&](int iteration, double) {
    task.show(std::min(0.99, 1.0 * iteration / options.most_iterations));
  };
  FitResult result = fit_parameters(setup.problem, options);
  if (!result.problem.empty()) fail_at("cartan fit", "no fit: " + result.problem);
  return result;
}

}  // namespace

FittedModel fit_model(const ModelArguments& model, const api::FitOptions& o) {
  if (o.free.empty()) refuse("fit", "nothing is free; name parameters with --free P1,P2");
  if (o.data.empty() == o.experiments.empty())
    refuse("fit", "give measurements by --data FILE.csv or by --experiments FILE.toml");
  if (o.tolerance && !(*o.tolerance > 0 && *o.tolerance < 1))
    refuse("fit", "--tolerance: expected a positive number below 1");
  if (o.iterations < 1) refuse("fit", "--iterations: expected at least 1");
  const ExperimentsText text = read_measurements(model, o);
  FittedModel fitted;
  for (const FitChoice& choice : read_sets(model, o))
    fitted.setups.push_back(std::make_unique<FitSetup>(make_fit_setup(choice, text, o.watch)));
  require_room("fit", "fit", o.out, o.force, fit_files(fitted.setups));
  for (const auto& setup : fitted.setups) fitted.reports.push_back({*setup, run_fit(o, *setup)});
  if (!o.out.empty()) write_fits(o, fitted.reports);
  return fitted;
}

}  // namespace cartan::results
