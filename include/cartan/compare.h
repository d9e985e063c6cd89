// The same motion by several methods: `cartan compare`.
//
//   const cartan::Comparison table = cartan::compare(
//       cartan::load("model.toml"), {.integrators = {"gl2", "rk4"}, .duration = 0.1});
//   for (const cartan::ComparisonRow& row : table.rows)
//     std::printf("%s %g: %g\n", row.integrator.c_str(), row.step, row.difference.value_or(-1));
#pragma once

#include <optional>

#include <cartan/model.h>

namespace cartan::api {

// One method with one step.
struct ComparisonRow {
  std::string formulation, integrator;
  double step = 0;
  std::string refusal, failure;  // why there are no numbers; "" when there are
  std::optional<double>
      difference;  // to the reference at the end: metres and radians, or variables
  std::optional<double> energy_drift, momentum_drift, constraint, orthonormality;
  long evaluations = 0;
  double wall_seconds = 0;
  std::optional<double> order;  // observed, from this step and the one before
};

// The table, and what it is measured by.
struct Comparison {
  std::string reference;  // how it was computed
  double reference_error = 0;
  std::optional<double> chaotic_from;  // from here on there is no reference
  std::vector<ComparisonRow> rows;
  std::string csv;   // the table as --csv writes it
  std::string text;  // as `cartan compare` prints it
  std::string json;  // as `cartan compare --json` prints it
};

// Computes the motion in every combination of formulation, integrator and step.
CARTAN_API Comparison compare(const Model& model, const CompareOptions& options = {});

}  // namespace cartan::api
