// cartan compare: the same motion every way, in one table.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/compare/compare.h"
#include "results/compare/comparison_report.h"

namespace cartan::cli {
namespace {

struct CompareArguments {
  ModelArguments model;
  api::CompareOptions compare;
  bool json = false;
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
                 "default: all that take the model, of " + formulation_list(),
                 o.compare.formulations);
  arguments.list("--integrators", "X,Y", "default: gl1,gl2,gl3,rk4; known: " + integrator_names(),
                 o.compare.integrators);
  arguments.list("--steps", "H1,H2", "default: the file's step, a half and a quarter of it",
                 o.compare.steps);
  declare_duration_and_tolerance(arguments, o.compare.duration, o.compare.tolerance);
  arguments.flag("--fixed", "adaptive methods take the given steps, without error control",
                 o.compare.fixed);
  declare_stabilisation(arguments, o.compare.stabilisation);
  declare_rows(arguments, o.compare.rows);
  arguments.option("--csv", "FILE", "write the table to this file too", o.compare.csv);
  declare_force(arguments, o.compare.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

// The exit status: a table whose rows say why they failed is no success.
int judge_rows(const Comparison& comparison) {
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
  CompareArguments o;
  if (const std::optional<int> status = read_compare_arguments(words, o)) return *status;
  o.compare.watch = interruptible(terminal_watch());
  const ComparedModel compared = compare_model(o.model, o.compare);
  const Model& model = *compared.model;
  if (o.json)
    fmt::print("{}", comparison_json(model, compared.plan, compared.comparison));
  else
    fmt::print("{}", comparison_text(compared.comparison, model.is_mechanism()));
  return judge_rows(compared.comparison);
}

}  // namespace cartan::cli
