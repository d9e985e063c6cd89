#include "results/compare/comparison.h"

#include <algorithm>
#include <cmath>

#include "results/compare/reference.h"

namespace cartan::results {
namespace {

// Below this multiple of the reference's own error a difference says nothing about order.
constexpr double significance = 20;

ComparisonRow make_row(const Model& model, const ComparisonPlan& plan,
                       const std::string& formulation, const std::string& integrator, double step,
                       const ReferenceMotion& reference) {
  SimulateOptions options;
  options.integrator = integrator;
  options.step = step;
  options.duration = plan.duration;
  options.tolerance = plan.tolerance;
  options.fixed_step = plan.fixed_step;
  options.stop_requested = plan.stop_requested;
  const MethodRun outcome =
      run_method(model, formulation, {plan.stabilisation, plan.row_axes}, options);
  ComparisonRow row;
  if (model.is_mechanism()) row.formulation = formulation;
  row.integrator = integrator;
  row.step = step;
  row.evaluations = outcome.report.counts.evaluations;
  row.seconds = outcome.report.wall_seconds - outcome.observing;
  row.refusal = outcome.refusal;
  if (!row.refusal.empty()) return row;
  if (!outcome.report.ok()) {
    row.failure = outcome.report.message;
    return row;
  }
  if (!reference.chaotic_from) row.difference = distance(outcome.end, reference.run.end);
  if (model.is_mechanism()) {
    row.energy_drift = outcome.statistics.max_drift;
    row.momentum_drift = outcome.momentum.drift_of_conserved(reference.run.momentum);
    row.orthonormality =
        std::max(outcome.statistics.unit_norm_error, outcome.report.unit_norm_error);
    row.violations = outcome.violations;
    row.constraint = outcome.statistics.max_position_violation;
  }
  return row;
}

std::optional<double> observed_order(const ComparisonRow& before, const ComparisonRow& row,
                                     double floor) {
  const bool both = before.failure.empty() && row.failure.empty() && before.refusal.empty() &&
                    row.refusal.empty();
  if (!both || before.step == row.step) return std::nullopt;
  if (!before.difference || !row.difference) return std::nullopt;
  if (!(std::min(*before.difference, *row.difference) > floor)) return std::nullopt;
  return std::log(*before.difference / *row.difference) / std::log(before.step / row.step);
}

}  // namespace

Comparison compare_methods(const Model& model, const ComparisonPlan& plan,
                           const std::function<void(double)>& on_progress) {
  Comparison comparison;
  const ReferenceMotion reference = make_reference(model, plan);
  comparison.failure = reference.failure;
  if (!comparison.failure.empty()) return comparison;
  comparison.reference = reference.how;
  comparison.reference_error = reference.error;
  comparison.reference_end = reference.run.end;
  comparison.growth = reference.growth;
  comparison.chaotic_from = reference.chaotic_from;
  comparison.conserved = reference.run.momentum.conserved_names();
  const double floor = significance * std::max(comparison.reference_error, 1e-14);
  const double total = 1.0 * plan.formulations.size() * plan.integrators.size() * plan.steps.size();
  for (const std::string& formulation : plan.formulations)
    for (const std::string& integrator : plan.integrators) {
      const bool has_order = plan.fixed_step || !find_integrator(integrator)->adaptive;
      for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        ComparisonRow row =
            make_row(model, plan, formulation, integrator, plan.steps[s], reference);
        if (s > 0 && has_order) row.order = observed_order(comparison.rows.back(), row, floor);
        comparison.rows.push_back(std::move(row));
        on_progress(comparison.rows.size() / total);
        if (plan.stop_requested && plan.stop_requested->load()) return comparison;
      }
    }
  return comparison;
}

}  // namespace cartan::results
