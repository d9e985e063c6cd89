#include "cli/comparison.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cli/motion_statistics.h"
#include "dynamics/formulations.h"

namespace cartan {
namespace {

constexpr double reference_tolerance = 1e-13, control_tolerance = 1e-11;
// Below this multiple of the reference's own error a difference says nothing about order.
constexpr double significance = 20;

// Where everything is at the end.
struct Place {
  std::vector<BodyState> bodies;
  std::vector<double> variables;
};

struct Outcome {
  SimulateReport report;
  Place end;
  MotionStatistics statistics;
  double seconds = 0;
};

double rotation_angle(const Quat<double>& a, const Quat<double>& b) {
  const Quat<double> turn = conjugate(a) * b;
  return 2 * std::atan2(norm(turn.vector()), std::fabs(turn.w));
}

double distance(const Place& a, const Place& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.bodies.size(); ++i)
    largest = std::max({largest, norm(a.bodies[i].position - b.bodies[i].position),
                        rotation_angle(a.bodies[i].orientation, b.bodies[i].orientation)});
  for (std::size_t i = 0; i < a.variables.size(); ++i)
    largest = std::max(largest, std::fabs(a.variables[i] - b.variables[i]));
  return largest;
}

Outcome run_once(const Model& model, const std::string& formulation,
                 const SimulateOptions& options) {
  Outcome outcome;
  std::string problem;
  const auto system = make_system(model, parameter_values(model), formulation, problem);
  if (!system) {
    outcome.report.status = RunStatus::bad_options;
    outcome.report.message = problem;
    return outcome;
  }
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system.get());
  const auto workspace = system->make_workspace();
  Observation now;
  Observer observer;
  if (mechanism)
    observer.on_sample = [&](const State& state) {
      mechanism->observe(state, now, *workspace);
      outcome.statistics.take(now);
    };
  outcome.report = simulate(*system, system->initial_state(), options, observer);
  const State& end = outcome.report.final_state;
  if (mechanism) {
    mechanism->observe(end, now, *workspace);
    outcome.end.bodies = now.bodies;
  } else {
    outcome.end.variables.assign(end.x.begin(), end.x.begin() + model.variables.size());
  }
  return outcome;
}

SimulateOptions reference_options(const ComparisonPlan& plan, double tolerance) {
  SimulateOptions options;
  options.integrator = "dop853";
  options.duration = plan.duration;
  options.step = std::max(plan.duration, 1e-300);
  options.tolerance = tolerance;
  options.stop_requested = plan.stop_requested;
  return options;
}

// Two solutions of different tolerance: the finer one, and how far the other is from it.
Place make_reference(const Model& model, const ComparisonPlan& plan, Comparison& comparison) {
  const Outcome fine = run_once(model, "recursive", reference_options(plan, reference_tolerance));
  const Outcome coarse = run_once(model, "recursive", reference_options(plan, control_tolerance));
  for (const Outcome* outcome : {&fine, &coarse})
    if (!outcome->report.ok()) comparison.failure = outcome->report.message;
  comparison.reference =
      fmt::format("{}dop853 with tolerance {:g}", model.is_mechanism() ? "recursive, " : "",
                  reference_tolerance);
  if (comparison.failure.empty())
    comparison.reference_error =
        distance(fine.end, coarse.end) * reference_tolerance / control_tolerance;
  return fine.end;
}

ComparisonRow make_row(const Model& model, const ComparisonPlan& plan,
                       const std::string& formulation, const std::string& integrator, double step,
                       const Place& reference) {
  SimulateOptions options;
  options.integrator = integrator;
  options.step = step;
  options.duration = plan.duration;
  options.tolerance = plan.tolerance;
  options.fixed_step = plan.fixed_step;
  options.stop_requested = plan.stop_requested;
  const Outcome outcome = run_once(model, formulation, options);
  ComparisonRow row;
  if (model.is_mechanism()) row.formulation = formulation;
  row.integrator = integrator;
  row.step = step;
  row.evaluations = outcome.report.counts.evaluations;
  row.seconds = outcome.report.wall_seconds;
  if (!outcome.report.ok()) {
    row.failure = outcome.report.message;
    return row;
  }
  row.difference = distance(outcome.end, reference);
  if (model.is_mechanism()) {
    row.energy_drift = outcome.statistics.max_drift;
    row.unit_norm_error =
        std::max(outcome.statistics.unit_norm_error, outcome.report.unit_norm_error);
    row.constraint = outcome.statistics.max_position_violation;
  }
  return row;
}

std::optional<double> observed_order(const ComparisonRow& before, const ComparisonRow& row,
                                     double floor) {
  if (!before.failure.empty() || !row.failure.empty() || before.step == row.step)
    return std::nullopt;
  if (!(std::min(before.difference, row.difference) > floor)) return std::nullopt;
  return std::log(before.difference / row.difference) / std::log(before.step / row.step);
}

}  // namespace

Comparison compare_methods(const Model& model, const ComparisonPlan& plan,
                           const std::function<void(double)>& on_progress) {
  Comparison comparison;
  const Place reference = make_reference(model, plan, comparison);
  if (!comparison.failure.empty()) return comparison;
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

}  // namespace cartan
