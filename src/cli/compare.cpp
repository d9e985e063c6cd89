// cartan compare: the same motion every way, in one table.
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/comparison.h"
#include "cli/interrupt.h"
#include "cli/json_values.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/run_settings.h"
#include "dynamics/formulations.h"
#include "io/csv.h"
#include "io/output_files.h"

namespace cartan {
namespace {

struct Options {
  ModelArguments model;
  RunArguments run;
  std::vector<std::string> formulations, integrators, steps;
  std::string csv;
  bool fixed = false, json = false;
};

std::optional<int> read_options(const Words& words, Options& o) {
  Arguments arguments(
      "compare",
      "Compute the same motion by several methods and compare the ends with an accurate "
      "reference: difference, energy drift, cost, observed order.",
      "  cartan compare examples/heavy_top.toml --formulations recursive,moving-frame "
      "--integrators gl2,gl3,rk4 --steps 0.01,0.005 --duration 1");
  declare_model(arguments, o.model);
  arguments.list("--formulations", "A,B", "default: all", o.formulations);
  arguments.list("--integrators", "X,Y", "default: gl1,gl2,gl3,rk4; known: " + integrator_names(),
                 o.integrators);
  arguments.list("--steps", "H1,H2", "default: the file's step, a half and a quarter of it",
                 o.steps);
  declare_duration_and_tolerance(arguments, o.run);
  arguments.flag("--fixed", "adaptive methods take the given steps, without error control",
                 o.fixed);
  arguments.option("--csv", "FILE", "write the table to this file too", o.csv);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

int complain(const std::string& message) {
  fmt::print(stderr, "cartan compare: {}\n", message);
  return exit_bad_input;
}

// Each of the next three returns false after a complaint.

bool plan_steps(const Options& o, double default_step, ComparisonPlan& plan) {
  for (const std::string& text : o.steps) {
    const std::optional<double> step = read_number(text);
    if (!step || *step <= 0) {
      complain(fmt::format("--steps: expected positive numbers, got '{}'", text));
      return false;
    }
    plan.steps.push_back(*step);
  }
  if (o.steps.empty()) plan.steps = {default_step, default_step / 2, default_step / 4};
  return true;
}

bool plan_formulations(const Options& o, const Model& model, ComparisonPlan& plan) {
  std::vector<std::string> known;
  for (const FormulationInfo& row : formulation_table()) known.push_back(row.name);
  if (!model.is_mechanism()) {
    if (!o.formulations.empty())
      complain("a file with [variables] is integrated as it stands; leave out --formulations");
    plan.formulations = {"recursive"};
    return o.formulations.empty();
  }
  plan.formulations = o.formulations.empty() ? known : o.formulations;
  for (const std::string& name : plan.formulations) {
    if (!find_formulation(name)) {
      const std::string near = suggestion(name, known);
      complain(fmt::format("there is no formulation '{}' in this version{}", name,
                           near.empty() ? fmt::format("; use: {}", fmt::join(known, ", ")) : near));
      return false;
    }
    if (!load_system(model, name)) return false;
  }
  return true;
}

bool plan_integrators(const Options& o, ComparisonPlan& plan) {
  plan.integrators = o.integrators;
  if (o.integrators.empty()) plan.integrators = {"gl1", "gl2", "gl3", "rk4"};
  for (const std::string& name : plan.integrators)
    if (!check_integrator(name)) return false;
  return true;
}

// ------------------------------------------------------------------------------------------
// telling

const std::vector<std::string> columns = {
    "formulation",     "integrator", "step",        "difference",   "energy_drift",
    "unit_norm_error", "constraint", "evaluations", "wall_seconds", "order"};

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.2e}", *value) : "-";
}

void print_table(const Comparison& comparison, bool mechanism) {
  constexpr const char* layout =
      "{:<13} {:<10} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9} {:>6}\n";
  fmt::print(layout, "formulation", "integrator", "step", "difference", "drift (J)", "unit length",
             "constraint", "evaluations", "time (s)", "order");
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.failure.empty()) {
      fmt::print("{:<13} {:<10} {:>9.4g}   failed: {}\n", row.formulation, row.integrator, row.step,
                 row.failure);
      continue;
    }
    fmt::print(layout, row.formulation.empty() ? "-" : row.formulation, row.integrator,
               fmt::format("{:.4g}", row.step), cell(row.difference), cell(row.energy_drift),
               cell(row.unit_norm_error), cell(row.constraint), row.evaluations,
               fmt::format("{:.3g}", row.seconds),
               row.order ? fmt::format("{:.2f}", *row.order) : "-");
  }
  fmt::print(
      "\nDifference at the end to {}, itself good to about {:.0e}: {}.\n"
      "Order: from a step and the one before it.\n",
      comparison.reference, std::max(comparison.reference_error, 1e-15),
      mechanism ? "largest over all\nbodies, metres and radians alike"
                : "largest over all\nvariables");
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_object(const Model& model, const ComparisonPlan& plan, const Comparison& comparison) {
  Json rows = Json::array();
  for (const ComparisonRow& row : comparison.rows) {
    Json json;
    if (model.is_mechanism()) json["formulation"] = row.formulation;
    json["integrator"] = row.integrator;
    json["step"] = row.step;
    if (!row.failure.empty()) {
      json["failure"] = row.failure;
    } else {
      json["difference"] = row.difference;
      json["energy_drift"] = optional_json(row.energy_drift);
      json["unit_norm_error"] = optional_json(row.unit_norm_error);
      json["constraint"] = optional_json(row.constraint);
    }
    json["evaluations"] = row.evaluations;
    json["wall_seconds"] = row.seconds;
    json["order"] = optional_json(row.order);
    rows.push_back(std::move(json));
  }
  return {{"model", model.name},
          {"duration", plan.duration},
          {"reference", comparison.reference},
          {"reference_error", comparison.reference_error},
          {"rows", std::move(rows)}};
}

std::string csv_text(const Comparison& comparison) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  const auto add = [&](const std::optional<double>& value) {
    text += ',';
    if (value) append_number(text, *value);
  };
  for (const ComparisonRow& row : comparison.rows) {
    text += row.formulation + "," + row.integrator;
    add(row.step);
    add(row.failure.empty() ? std::optional(row.difference) : std::nullopt);
    add(row.energy_drift);
    add(row.unit_norm_error);
    add(row.constraint);
    add(static_cast<double>(row.evaluations));
    add(row.seconds);
    add(row.order);
    text += '\n';
  }
  return text;
}

int tell(const Options& o, const Model& model, const ComparisonPlan& plan,
         const Comparison& comparison) {
  std::string problem;
  if (!o.csv.empty() && !write_whole_file(o.csv, csv_text(comparison), problem))
    return complain(problem);
  if (o.json)
    print_json(json_object(model, plan, comparison));
  else
    print_table(comparison, model.is_mechanism());
  for (const ComparisonRow& row : comparison.rows)
    if (!row.failure.empty()) return exit_failed;
  return exit_done;
}

}  // namespace

int compare_command(const Words& words) {
  Options options;
  if (const std::optional<int> status = read_options(words, options)) return *status;
  const std::unique_ptr<const Model> model = load_model(options.model);
  if (!model) return exit_bad_input;
  const std::optional<RunSettings> settings = choose_settings(options.run, *model);
  if (!settings) return exit_bad_input;
  ComparisonPlan plan;
  plan.duration = settings->simulate.duration;
  plan.tolerance = options.run.tolerance.value_or(0);
  plan.fixed_step = options.fixed;
  plan.stop_requested = &watch_interrupts();
  if (!plan_steps(options, settings->simulate.step, plan) ||
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
