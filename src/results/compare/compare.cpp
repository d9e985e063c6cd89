#include "results/compare/compare.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formulations/formulations.h"
#include "io/output_files.h"
#include "results/compare/comparison_report.h"
#include "results/load/numbers.h"
#include "results/refusal.h"
#include "results/run/run_settings.h"
#include "results/run/stabilisation.h"
#include "results/task.h"

namespace cartan::results {
namespace {

void plan_steps(const api::CompareOptions& o, const Model& model, double default_step,
                ComparisonPlan& plan) {
  for (const std::string& text : o.steps) {
    std::string problem;
    const std::optional<double> step = read_number(text, &model, problem);
    if (!step || *step <= 0)
      refuse("compare", fmt::format("--steps: expected positive numbers{}{}",
                                    step ? ", got " : "; ", step ? "'" + text + "'" : problem));
    plan.steps.push_back(*step);
  }
  if (o.steps.empty()) plan.steps = {default_step, default_step / 2, default_step / 4};
}

void plan_formulations(const api::CompareOptions& o, const Model& model, ComparisonPlan& plan) {
  std::vector<std::string> known, willing;  // all, those that take the model
  for (const FormulationInfo& row : formulation_table()) {
    known.push_back(row.name);
    if (model.is_mechanism() && row.refusal(model).empty()) willing.push_back(row.name);
  }
  if (!model.is_mechanism()) {
    if (!o.formulations.empty())
      refuse("compare",
             "a file with [variables] is integrated as it stands; leave out --formulations");
    plan.formulations = {"recursive"};
    return;
  }
  plan.formulations = o.formulations.empty() ? willing : o.formulations;
  for (const std::string& name : plan.formulations) {
    if (!find_formulation(name)) {
      const std::string near = suggestion(name, known);
      refuse("compare",
             fmt::format("there is no formulation '{}' in this version{}", name,
                         near.empty() ? fmt::format("; use: {}", fmt::join(known, ", ")) : near));
    }
    load_system(model, name);
  }
}

void plan_integrators(const api::CompareOptions& o, ComparisonPlan& plan) {
  plan.integrators = o.integrators;
  if (o.integrators.empty()) plan.integrators = {"gl1", "gl2", "gl3", "rk4"};
  for (const std::string& name : plan.integrators) {
    check_integrator(name);
    if (o.fixed && find_integrator(name)->order == 0)
      refuse("compare",
             fmt::format("{} chooses its order with its steps and takes no fixed ones; leave it or "
                         "--fixed out",
                         name));
  }
}

void plan_row_axes(const api::CompareOptions& o, ComparisonPlan& plan) {
  if (o.rows.empty()) return;
  plan.row_axes = o.rows;
  const auto absolute = [](const std::string& name) { return name.starts_with("absolute"); };
  if (std::any_of(plan.formulations.begin(), plan.formulations.end(), absolute)) return;
  refuse("compare",
         "--rows is for absolute-se3 and absolute-so3r3; ask for one of them or leave "
         "it out");
}

}  // namespace

ComparedModel compare_model(const ModelArguments& source, const api::CompareOptions& o) {
  const Replace replace = o.force ? Replace::yes : Replace::no;
  if (const std::string taken = refuse_existing(o.csv, replace); !taken.empty())
    refuse("compare", taken);
  check_stabilisation("compare", o.stabilisation);
  check_row_axes("compare", o.rows);
  ComparedModel compared;
  compared.model = load_model(source, o.watch);
  const Model& model = *compared.model;
  RunArguments asked;
  asked.duration = o.duration;
  asked.tolerance = o.tolerance;
  const RunSettings settings = choose_settings(asked, model);
  ComparisonPlan& plan = compared.plan;
  plan.duration = settings.simulate.duration;
  plan.tolerance = o.tolerance.value_or(0);
  plan.fixed_step = o.fixed;
  plan.stabilisation = o.stabilisation;
  plan.stop_requested = o.watch.stop;
  plan_steps(o, model, settings.simulate.step, plan);
  plan_formulations(o, model, plan);
  plan_integrators(o, plan);
  plan_row_axes(o, plan);
  {
    Task task(o.watch, "comparing");
    compared.comparison = compare_methods(model, plan, [&](double part) { task.show(part); });
  }
  Comparison& comparison = compared.comparison;
  if (stopped(o.watch)) comparison.failure = "stopped on request";
  if (!comparison.failure.empty())
    fail_at("cartan compare", "no comparison: " + comparison.failure);
  std::string problem;
  if (!o.csv.empty() && !write_whole_file(o.csv, comparison_csv(comparison), replace, problem))
    refuse("compare", problem);
  return compared;
}

}  // namespace cartan::results
