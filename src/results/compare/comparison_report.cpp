#include "results/compare/comparison_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/csv.h"
#include "results/json_values.h"

namespace cartan::results {
namespace {

const std::vector<std::string> columns = {"formulation",  "integrator",     "step",
                                          "difference",   "energy_drift",   "momentum_drift",
                                          "constraint",   "orthonormality", "evaluations",
                                          "wall_seconds", "order"};

constexpr const char* layout =
    "{:<17} {:<17} {:>9} {:>10} {:>10} {:>10} {:>10} {:>11} {:>11} {:>9} {:>6}\n";

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.2e}", *value) : "-";
}

std::string row_text(const ComparisonRow& row) {
  const std::string formulation = row.formulation.empty() ? "-" : row.formulation;
  if (!row.failure.empty() || !row.refusal.empty())
    return fmt::format("{:<17} {:<17} {:>9.4g}   {}: {}\n", formulation, row.integrator, row.step,
                       row.refusal.empty() ? "failed" : "refused", row.failure + row.refusal);
  return fmt::format(layout, formulation, row.integrator, fmt::format("{:.4g}", row.step),
                     cell(row.difference), cell(row.energy_drift), cell(row.momentum_drift),
                     cell(row.constraint), cell(row.orthonormality), row.evaluations,
                     fmt::format("{:.3g}", row.seconds),
                     row.order ? fmt::format("{:.2f}", *row.order) : "-");
}

// "A 1.2e-15  B 3.4e-16 ...", a line per run that has constraints.
std::string violations_text(const Comparison& comparison) {
  std::string text;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.violations.empty()) continue;
    text += fmt::format("{:<17} {:<17} {:>9.4g}  ", row.formulation, row.integrator, row.step);
    for (const OwnerViolation& v : row.violations)
      text += fmt::format("  {} {:.2e}", v.owner, v.position);
    text += '\n';
  }
  return text.empty() ? "" : "\nLargest violation of each constraint (m, rad):\n" + text;
}

std::string reference_text(const Comparison& comparison, bool mechanism) {
  std::string growth;
  if (comparison.growth)
    growth = fmt::format("Small displacements grow by a factor of {:.0e} along the motion.\n",
                         *comparison.growth);
  if (comparison.chaotic_from)
    return fmt::format(
        "\nThe motion is chaotic: no reference beyond t = {:.3g} s. There two accurate methods "
        "(dop853, gl8)\nbegin to part, and no computation with double precision is right after "
        "it; so there are\nno differences. Compare over a shorter time: --duration {:.3g}.\n{}",
        *comparison.chaotic_from, *comparison.chaotic_from, growth);
  return fmt::format(
      "\nDifference at the end to {}, itself good to about {:.0e};\nlargest over all {}. "
      "Order: from a step and the one before it.\n{}",
      comparison.reference, std::max(comparison.reference_error, 1e-15),
      mechanism ? "bodies, metres and radians alike" : "variables", growth);
}

std::string explanation(const Comparison& comparison, bool mechanism) {
  std::string text = reference_text(comparison, mechanism);
  if (!mechanism) return text;
  text += comparison.conserved.empty()
              ? "Momentum: no component of P or L (world axes, about the origin) is conserved.\n"
              : fmt::format(
                    "Momentum: largest change of the components that are conserved ({}; "
                    "kg m/s, kg m^2/s).\n",
                    comparison.conserved);
  return text +
         "Orthonormal: | |u| - 1 | of quaternions, largest number of R^T R - 1 of matrices.\n";
}

Json place_json(const Model& model, const Place& place) {
  Json json = {{"t", place.t}};
  for (std::size_t k = 0; k < place.bodies.size(); ++k)
    json["bodies"][model.bodies[k].name] = {{"position", json_of(place.bodies[k].position)},
                                            {"quaternion", json_of(place.bodies[k].orientation)}};
  for (std::size_t k = 0; k < place.variables.size(); ++k)
    json["variables"][model.variables[k].name] = place.variables[k];
  return json;
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool mechanism) {
  std::string text =
      fmt::format(layout, "formulation", "integrator", "step", "difference", "drift (J)",
                  "momentum", "constraint", "orthonormal", "evaluations", "time (s)", "order");
  for (const ComparisonRow& row : comparison.rows) text += row_text(row);
  return text + violations_text(comparison) + explanation(comparison, mechanism);
}

std::string comparison_json(const Model& model, const ComparisonPlan& plan,
                            const Comparison& comparison) {
  Json rows = Json::array();
  for (const ComparisonRow& row : comparison.rows) {
    Json json;
    if (model.is_mechanism()) json["formulation"] = row.formulation;
    json["integrator"] = row.integrator;
    json["step"] = row.step;
    if (!row.refusal.empty()) {
      json["refusal"] = row.refusal;
    } else if (!row.failure.empty()) {
      json["failure"] = row.failure;
    } else {
      json["difference"] = optional_json(row.difference);
      json["energy_drift"] = optional_json(row.energy_drift);
      json["momentum_drift"] = optional_json(row.momentum_drift);
      json["constraint"] = optional_json(row.constraint);
      json["orthonormality"] = optional_json(row.orthonormality);
      Json violations = Json::object();
      for (const OwnerViolation& v : row.violations) violations[v.owner] = v.position;
      json["violations"] = std::move(violations);
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
                     {"reference_end", place_json(model, comparison.reference_end)},
                     {"growth", optional_json(comparison.growth)},
                     {"chaotic_from", optional_json(comparison.chaotic_from)},
                     {"conserved_momenta", comparison.conserved},
                     {"stabilisation", plan.stabilisation},
                     {"row_axes", plan.row_axes},
                     {"rows", std::move(rows)}};
  return json.dump(2) + "\n";
}

// After the columns of the table one for every joint or constraint some formulation has.
std::string comparison_csv(const Comparison& comparison) {
  std::vector<std::string> owners;
  for (const ComparisonRow& row : comparison.rows)
    for (const OwnerViolation& v : row.violations)
      if (std::find(owners.begin(), owners.end(), v.owner) == owners.end())
        owners.push_back(v.owner);
  std::string text = fmt::format("{}", fmt::join(columns, ","));
  for (const std::string& owner : owners) text += ",violation of " + owner;
  text += '\n';
  const auto add = [&](const std::optional<double>& value) {
    text += ',';
    if (value) append_number(text, *value);
  };
  for (const ComparisonRow& row : comparison.rows) {
    text += row.formulation + "," + row.integrator;
    add(row.step);
    add(row.difference);
    add(row.energy_drift);
    add(row.momentum_drift);
    add(row.constraint);
    add(row.orthonormality);
    add(static_cast<double>(row.evaluations));
    add(row.seconds);
    add(row.order);
    for (const std::string& owner : owners) {
      const auto found = std::find_if(row.violations.begin(), row.violations.end(),
                                      [&](const OwnerViolation& v) { return v.owner == owner; });
      add(found != row.violations.end() ? std::optional(found->position) : std::nullopt);
    }
    text += '\n';
  }
  return text;
}

}  // namespace cartan::results
