// The same motion by several methods, each measured against one reference.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "integrate/simulate.h"
#include "model/model.h"
#include "results/compare/method_run.h"

namespace cartan::results {

struct ComparisonPlan {
  std::vector<std::string> formulations, integrators;
  std::vector<double> steps;
  double duration = 0;
  double tolerance = 0;     // 0: each method's own
  bool fixed_step = false;  // adaptive methods without error control
  std::string stabilisation = "projection";
  std::string row_axes = "joint";  // of absolute-*
  const std::atomic<bool>* stop_requested = nullptr;
};

struct ComparisonRow {
  std::string formulation;  // "" for a [variables] file
  std::string integrator;
  double step = 0;
  std::string refusal;  // why this pair makes no sense, or ""
  std::string failure;  // why the run did not complete, or ""
  // To the reference at the end: metres and radians, or units of variables; nothing where it fails.
  std::optional<double> difference;
  // mechanisms, largest over the run
  std::optional<double> energy_drift, momentum_drift, constraint, orthonormality;
  std::vector<OwnerViolation> violations;  // joint by joint, where the formulation has constraints
  long evaluations = 0;
  double seconds = 0;
  std::optional<double> order;  // observed, from this step and the one before
};

struct Comparison {
  std::string reference;  // how it was computed
  std::string conserved;  // which momenta the reference keeps: "Px Py Lz", "" for none
  Place reference_end;
  double reference_error = 0;          // estimated
  std::optional<double> growth;        // of small displacements along the motion
  std::optional<double> chaotic_from;  // from here on there is no reference
  std::string failure;                 // why there is no reference, or ""
  std::vector<ComparisonRow> rows;
};

// `on_progress` is told the part done.
Comparison compare_methods(const Model& model, const ComparisonPlan& plan,
                           const std::function<void(double)>& on_progress);

}  // namespace cartan::results
