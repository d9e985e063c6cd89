#include "cli/comparison_report.h"

#include <fmt/format.h>

#include "cli/json_values.h"
#include "io/csv.h"

namespace cartan {
namespace {

const std::vector<std::string> columns = {
    "formulation",     "integrator", "step",        "difference",   "energy_drift",
    "unit_norm_error", "constraint", "evaluations", "wall_seconds", "order"};

constexpr const char* layout =
    "{:<14} {:<17} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9} {:>6}\n";

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.2e}", *value) : "-";
}

std::string row_text(const ComparisonRow& row) {
  const std::string formulation = row.formulation.empty() ? "-" : row.formulation;
  if (!row.failure.empty())
    return fmt::format("{:<14} {:<17} {:>9.4g}   failed: {}\n", formulation, row.integrator,
                       row.step, row.failure);
  return fmt::format(layout, formulation, row.integrator, fmt::format("{:.4g}", row.step),
                     cell(row.difference), cell(row.energy_drift), cell(row.unit_norm_error),
                     cell(row.constraint), row.evaluations, fmt::format("{:.3g}", row.seconds),
                     row.order ? fmt::format("{:.2f}", *row.order) : "-");
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool mechanism) {
  std::string text =
      fmt::format(layout, "formulation", "integrator", "step", "difference", "drift (J)",
                  "unit length", "constraint", "evaluations", "time (s)", "order");
  for (const ComparisonRow& row : comparison.rows) text += row_text(row);
  return text + fmt::format(
                    "\nDifference at the end to {}, itself good to about {:.0e}:\n"
                    "largest over all {}. Order: from a step and the one before it.\n",
                    comparison.reference, std::max(comparison.reference_error, 1e-15),
                    mechanism ? "bodies, metres and radians alike" : "variables");
}

std::string comparison_json(const Model& model, const ComparisonPlan& plan,
                            const Comparison& comparison) {
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
  const Json json = {{"model", model.name},
                     {"duration", plan.duration},
                     {"reference", comparison.reference},
                     {"reference_error", comparison.reference_error},
                     {"rows", std::move(rows)}};
  return json.dump(2) + "\n";
}

std::string comparison_csv(const Comparison& comparison) {
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

}  // namespace cartan
