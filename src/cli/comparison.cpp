#include "cli/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "cli/momentum_watch.h"
#include "cli/motion_statistics.h"
#include "cli/stabilisation.h"
#include "formulations/formulations.h"

namespace cartan {
namespace {

constexpr double reference_tolerance = 1e-13, control_tolerance = 1e-11;
// Below this multiple of the reference's own error a difference says nothing about order.
constexpr double significance = 20;
constexpr int reference_samples = 50;

// Where everything is at the end.
struct Place {
  std::vector<BodyState> bodies;
  std::vector<double> variables;
};

struct Outcome {
  SimulateReport report;
  Place end;
  MotionStatistics statistics;
  MomentumWatch momentum;
  std::vector<OwnerViolation> violations;
  std::string refusal;
  double observing = 0;  // seconds that are not the method's
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

// Largest violation of each joint and constraint so far.
class ViolationWatch {
 public:
  explicit ViolationWatch(const MechanicalSystem& system) : system_(system) {
    const auto workspace = system.make_workspace();
    for (const std::string& owner :
         system.report_constraints(system.initial_state(), *workspace).owners) {
      if (found.empty() || found.back().owner != owner) found.push_back({owner, 0});
      place_.push_back(found.size() - 1);
    }
  }
  void take(const State& state, Workspace& workspace) {
    if (place_.empty()) return;
    system_.constraint_violations(state, positions_, speeds_, workspace);
    for (std::size_t r = 0; r < place_.size(); ++r)
      found[place_[r]].position = std::max(found[place_[r]].position, std::fabs(positions_[r]));
  }

  std::vector<OwnerViolation> found;

 private:
  const MechanicalSystem& system_;
  std::vector<std::size_t> place_;  // per row
  std::vector<double> positions_, speeds_;
};

void run_mechanism(MechanicalSystem& system, const SimulateOptions& options, Outcome& outcome) {
  using Clock = std::chrono::steady_clock;
  const auto workspace = system.make_workspace();
  ViolationWatch violations(system);
  Observation now;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    const auto begin = Clock::now();
    system.observe(state, now, *workspace);
    outcome.statistics.take(now);
    outcome.momentum.take(now);
    violations.take(state, *workspace);
    outcome.observing += std::chrono::duration<double>(Clock::now() - begin).count();
  };
  outcome.report = simulate(system, system.initial_state(), options, observer);
  system.observe(outcome.report.final_state, now, *workspace);
  outcome.end.bodies = now.bodies;
  outcome.violations = std::move(violations.found);
}

Outcome run_once(const Model& model, const std::string& formulation,
                 const std::string& stabilisation, SimulateOptions options) {
  Outcome outcome;
  std::string problem;
  const auto system = make_system(model, parameter_values(model), formulation, problem);
  if (!system) {
    outcome.report.status = RunStatus::bad_options;
    outcome.report.message = problem;
    return outcome;
  }
  outcome.refusal = refuse_integrator(options.integrator, *system);
  if (!outcome.refusal.empty()) return outcome;
  stabilise(stabilisation, *system, options);
  if (auto* mechanism = dynamic_cast<MechanicalSystem*>(system.get())) {
    run_mechanism(*mechanism, options, outcome);
    return outcome;
  }
  outcome.report = simulate(*system, system->initial_state(), options, Observer{});
  const State& end = outcome.report.final_state;
  outcome.end.variables.assign(end.x.begin(), end.x.begin() + model.variables.size());
  return outcome;
}

SimulateOptions reference_options(const ComparisonPlan& plan, double tolerance) {
  SimulateOptions options;
  options.integrator = "dop853";
  options.duration = plan.duration;
  options.step = std::max(plan.duration / reference_samples, 1e-300);
  options.tolerance = tolerance;
  options.stop_requested = plan.stop_requested;
  return options;
}

// Two solutions of different tolerance: the finer one, and how far the other is from it.
Outcome make_reference(const Model& model, const ComparisonPlan& plan, Comparison& comparison) {
  const auto run = [&](double tolerance) {
    return run_once(model, "recursive", "projection", reference_options(plan, tolerance));
  };
  Outcome fine = run(reference_tolerance);
  const Outcome coarse = run(control_tolerance);
  for (const Outcome* outcome : {static_cast<const Outcome*>(&fine), &coarse})
    if (!outcome->report.ok()) comparison.failure = outcome->report.message;
  comparison.reference =
      fmt::format("{}dop853 with tolerance {:g}", model.is_mechanism() ? "recursive, " : "",
                  reference_tolerance);
  if (comparison.failure.empty())
    comparison.reference_error =
        distance(fine.end, coarse.end) * reference_tolerance / control_tolerance;
  comparison.conserved = fine.momentum.conserved_names();
  return fine;
}

ComparisonRow make_row(const Model& model, const ComparisonPlan& plan,
                       const std::string& formulation, const std::string& integrator, double step,
                       const Outcome& reference) {
  SimulateOptions options;
  options.integrator = integrator;
  options.step = step;
  options.duration = plan.duration;
  options.tolerance = plan.tolerance;
  options.fixed_step = plan.fixed_step;
  options.stop_requested = plan.stop_requested;
  const Outcome outcome = run_once(model, formulation, plan.stabilisation, options);
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
  row.difference = distance(outcome.end, reference.end);
  if (model.is_mechanism()) {
    row.energy_drift = outcome.statistics.max_drift;
    row.momentum_drift = outcome.momentum.drift_of_conserved(reference.momentum);
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
  if (!(std::min(before.difference, row.difference) > floor)) return std::nullopt;
  return std::log(before.difference / row.difference) / std::log(before.step / row.step);
}

}  // namespace

Comparison compare_methods(const Model& model, const ComparisonPlan& plan,
                           const std::function<void(double)>& on_progress) {
  Comparison comparison;
  const Outcome reference = make_reference(model, plan, comparison);
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
