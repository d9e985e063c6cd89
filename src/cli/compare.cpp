// cartan compare: the same motion every way, in one table.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/progress.h"
#include "formulations/formulations.h"
#include "io/output_files.h"
#include "results/compare/comparison_report.h"
#include "results/load/load.h"
#include "results/load/numbers.h"
#include "results/run/run_settings.h"
#include "results/run/stabilisation.h"

namespace cartan {
namespace {

struct CompareArguments {
  ModelArguments model;
  RunArguments run;
  std::vector<std::string> formulations, integrators, steps;
  std::string csv, stabilisation = "projection";
  bool fixed = false, json = false, force = false;
};

std::optional<int> read_compare_arguments(const Words& words, CompareArguments& o) {
  Arguments arguments(
      "compare",
      "Compute the same motion by several methods and compare the ends with an accurate "
      "reference: difference, drift of energy and momenta, violation of every constraint, cost, "
      "observed order.",
      "  cartan compare examples/heavy_top.toml --formulations recursive,moving-frame "
      "--integrators gl2,gl3,rk4 --steps 0.01,0.005 --duration 1");
  declare_model(arguments, o.model);
  arguments.list("--formulations", "A,B",
                 "default: all that take the model, of " + formulation_list(), o.formulations);
  arguments.list("--integrators", "X,Y", "default: gl1,gl2,gl3,rk4; known: " + integrator_names(),
                 o.integrators);
  arguments.list("--steps", "H1,H2", "default: the file's step, a half and a quarter of it",
                 o.steps);
  declare_duration_and_tolerance(arguments, o.run);
  arguments.flag("--fixed", "adaptive methods take the given steps, without error control",
                 o.fixed);
  declare_stabilisation(arguments, o.stabilisation);
  arguments.option("--csv", "FILE", "write the table to this file too", o.csv);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

// Each of the next three returns false after a complaint.

bool plan_steps(const CompareArguments& o, const Model& model, double default_step,
                ComparisonPlan& plan) {
  for (const std::string& text : o.steps) {
    std::string problem;
    const std::optional<double> step = read_number(text, &model, problem);
    if (!step || *step <= 0) {
      complain("compare", fmt::format("--steps: expected positive numbers{}{}",
                                      step ? ", got " : "; ", step ? "'" + text + "'" : problem));
      return false;
    }
    plan.steps.push_back(*step);
  }
  if (o.steps.empty()) plan.steps = {default_step, default_step / 2, default_step / 4};
  return true;
}

bool plan_formulations(const CompareArguments& o, const Model& model, ComparisonPlan& plan) {
  std::vector<std::string> known, willing;  // all, those that take the model
  for (const FormulationInfo& row : formulation_table()) {
    known.push_back(row.name);
    if (model.is_mechanism() && row.refusal(model).empty()) willing.push_back(row.name);
  }
  if (!model.is_mechanism()) {
    if (!o.formulations.empty())
      complain("compare",
               "a file with [variables] is integrated as it stands; leave out --formulations");
    plan.formulations = {"recursive"};
    return o.formulations.empty();
  }
  plan.formulations = o.formulations.empty() ? willing : o.formulations;
  for (const std::string& name : plan.formulations) {
    if (!find_formulation(name)) {
      const std::string near = suggestion(name, known);
      complain("compare",
               fmt::format("there is no formulation '{}' in this version{}", name,
                           near.empty() ? fmt::format("; use: {}", fmt::join(known, ", ")) : near));
      return false;
    }
    if (!load_system(model, name)) return false;
  }
  return true;
}

bool plan_integrators(const CompareArguments& o, ComparisonPlan& plan) {
  plan.integrators = o.integrators;
  if (o.integrators.empty()) plan.integrators = {"gl1", "gl2", "gl3", "rk4"};
  for (const std::string& name : plan.integrators) {
    if (!check_integrator(name)) return false;
    if (o.fixed && find_integrator(name)->order == 0) {
      complain(
          "compare",
          fmt::format("{} chooses its order with its steps and takes no fixed ones; leave it or "
                      "--fixed out",
                      name));
      return false;
    }
  }
  return true;
}

int tell(const CompareArguments& o, const Model& model, const ComparisonPlan& plan,
         const Comparison& comparison) {
  std::string problem;
  if (!o.csv.empty() &&
      !write_whole_file(o.csv, comparison_csv(comparison), replace_if(o.force), problem))
    return complain("compare", problem);
  if (o.json)
    fmt::print("{}", comparison_json(model, plan, comparison));
  else
    fmt::print("{}", comparison_text(comparison, model.is_mechanism()));
  std::size_t failed = 0, refused = 0;
  for (const ComparisonRow& row : comparison.rows) {
    failed += !row.failure.empty();
    refused += !row.refusal.empty();
  }
  if (failed > 0)
    return complain("compare",
                    fmt::format("{} of {} computations failed; their rows say why", failed,
                                comparison.rows.size()),
                    exit_failed);
  return refused < comparison.rows.size()
             ? static_cast<int>(exit_done)
             : complain("compare", "every combination was refused; the rows say why");
}

}  // namespace

int compare_command(const Words& words) {
  CompareArguments options;
  if (const std::optional<int> status = read_compare_arguments(words, options)) return *status;
  if (const std::string taken = refuse_existing(options.csv, replace_if(options.force));
      !taken.empty())
    return complain("compare", taken);
  if (!check_stabilisation("compare", options.stabilisation)) return exit_bad_input;
  const std::unique_ptr<const Model> model = load_model(options.model);
  if (!model) return exit_bad_input;
  const std::optional<RunSettings> settings = choose_settings(options.run, *model);
  if (!settings) return exit_bad_input;
  ComparisonPlan plan;
  plan.duration = settings->simulate.duration;
  plan.tolerance = options.run.tolerance.value_or(0);
  plan.fixed_step = options.fixed;
  plan.stabilisation = options.stabilisation;
  plan.stop_requested = &watch_interrupts();
  if (!plan_steps(options, *model, settings->simulate.step, plan) ||
      !plan_formulations(options, *model, plan) || !plan_integrators(options, plan))
    return exit_bad_input;
  Comparison comparison;
  {
    Progress progress("comparing");
    comparison = compare_methods(*model, plan, [&](double part) { progress.show(part); });
  }
  if (plan.stop_requested->load()) comparison.failure = "stopped on request";
  if (!comparison.failure.empty()) {
    fmt::print(stderr, "cartan compare: no comparison: {}\n", comparison.failure);
    return exit_failed;
  }
  return tell(options, *model, plan, comparison);
}

}  // namespace cartan
