#include "results/compare/method_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "formulations/formulations.h"
#include "results/run/stabilisation.h"

namespace cartan::results {
namespace {

// Largest violation of each joint and constraint so far.
class ViolationWatch {
 public:
  explicit ViolationWatch(const MechanicalSystem& system) : system_(system) {
    const auto workspace = system.make_workspace();
    const State start = system.initial_state();
    std::vector<std::string> owners = system.report_constraints(start, *workspace).owners;
    system.constraint_violations(start, positions_, speeds_, *workspace);
    owners.resize(std::min(owners.size(), positions_.size()));  // contacts come last and have none
    for (const std::string& owner : owners) {
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

void run_mechanism(MechanicalSystem& system, const SimulateOptions& options, MethodRun& run) {
  using Clock = std::chrono::steady_clock;
  const auto workspace = system.make_workspace();
  ViolationWatch violations(system);
  Observation now;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    const auto begin = Clock::now();
    system.observe(state, now, *workspace);
    run.statistics.take(now);
    run.momentum.take(now);
    if (run.path.wants()) run.path.add({state.t, now.bodies, {}});
    violations.take(state, *workspace);
    run.observing += std::chrono::duration<double>(Clock::now() - begin).count();
  };
  run.report = simulate(system, system.initial_state(), options, observer);
  system.observe(run.report.final_state, now, *workspace);
  run.end = {run.report.final_state.t, now.bodies, {}};
  run.violations = std::move(violations.found);
}

}  // namespace

MethodRun run_method(const Model& model, const std::string& formulation,
                     const ConstraintKeeping& keeping, SimulateOptions options) {
  MethodRun run;
  std::string problem;
  const auto system = make_system(model, parameter_values(model), formulation, problem);
  if (!system) {
    run.report.status = RunStatus::bad_options;
    run.report.message = problem;
    return run;
  }
  run.refusal = refuse_integrator(options.integrator, *system);
  if (!run.refusal.empty()) return run;
  stabilise(keeping.stabilisation, *system, options);
  if (auto* mechanism = dynamic_cast<MechanicalSystem*>(system.get())) {
    mechanism->set_world_rows(keeping.row_axes == "world");  // where there is a choice
    run_mechanism(*mechanism, options, run);
    return run;
  }
  PlaceReader place(*system);
  Observer observer;
  observer.on_sample = [&](const State& state) {
    if (run.path.wants()) run.path.add(place(state));
  };
  run.report = simulate(*system, system->initial_state(), options, observer);
  run.end = place(run.report.final_state);
  return run;
}

}  // namespace cartan::results
