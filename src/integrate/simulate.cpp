#include "integrate/simulate.h"

#include "integrate/run/run_options.h"
#include "integrate/run/simulation_run.h"

namespace cartan::integrate {

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::completed:
      return "completed";
    case RunStatus::stopped_by_event:
      return "stopped by event";
    case RunStatus::cancelled:
      return "cancelled";
    case RunStatus::no_convergence:
      return "no convergence";
    case RunStatus::step_too_small:
      return "step too small";
    case RunStatus::not_finite:
      return "not finite";
    case RunStatus::chattering:
      return "chattering";
    case RunStatus::constraints_lost:
      return "constraints lost";
    case RunStatus::no_jump:
      return "no consistent jump";
    case RunStatus::bad_options:
      return "bad options";
  }
  return "unknown";
}

SimulateReport simulate(const System& system, const State& start, const SimulateOptions& options,
                        const Observer& observer) {
  SimulateReport report;
  report.message = check_options(options, system, start);
  if (!report.message.empty()) {
    report.status = RunStatus::bad_options;
    report.final_state = start;
    return report;
  }
  return SimulationRun(system, start, options, observer)();
}

SimulateReport simulate(const System& system, const State& start, const SimulateOptions& options,
                        Trajectory& path) {
  Observer observer;
  observer.on_sample = [&](const State& state) { path.append(state); };
  observer.on_event = [&](const EventRecord& event) { path.events.push_back(event); };
  SimulateReport report = simulate(system, start, options, observer);
  path.provenance = {options.integrator, options.step,  options.duration,
                     report.tolerance,   options.every, options.fixed_step};
  return report;
}

}  // namespace cartan::integrate
