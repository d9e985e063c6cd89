// The run loop: a System, a State and a method give samples, events and a report.
//
//   Trajectory path;
//   SimulateReport report = simulate(system, system.initial_state(), {.integrator = "gl3"}, path);
//
// Samples are handed out at the start, every k-th step and at exactly the end. Nothing is stored
// that was not asked for.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "integrate/step_mesh.h"
#include "integrate/trajectory.h"

namespace cartan::integrate {

struct SimulateOptions {
  std::string integrator = "gl3";
  double duration = 10;  // the run ends at exactly start.t + duration
  double step = 0.01;    // of fixed-step methods; recording interval of adaptive ones
  double tolerance = 0;  // error (adaptive) or stage (implicit) tolerance; 0: the method's default
  int every = 1;         // sample every k-th step
  bool fixed_step = false;  // adaptive methods without error control, with `step`
  double max_step = 0;      // adaptive methods; 0: none
  double spectral_radius = default_spectral_radius;  // generalized-alpha: 0 to 1
  bool project = true;    // back to the constraints after every step, where there are any
  bool normalise = true;  // explicit methods: quaternions back to length one after every step
  bool rms_norm = false;  // explicit methods: error control of the mean square
  // Of another run: events are located less sharply, and methods with error control take its steps,
  // so many at a time (shortened where they must be).
  const StepMesh* follow = nullptr;
  int together = 2;
  bool functional_iteration = false;  // Gauss-Legendre: stages by plain fixed-point iteration
  const std::atomic<bool>* stop_requested = nullptr;  // looked at after every step
};

enum class RunStatus {
  completed,
  stopped_by_event,
  cancelled,         // stop_requested
  no_convergence,    // stages of an implicit method
  step_too_small,    // error control
  not_finite,        // the derivative or the state
  chattering,        // internal events follow each other without end
  constraints_lost,  // a singular position, or a step too large to come back from
  no_jump,           // an impact or a change of mode has no consistent outcome
  bad_options,
};
const char* to_string(RunStatus status);

struct SimulateReport {
  RunStatus status = RunStatus::completed;
  std::string message;  // one sentence with numbers when the run did not complete
  std::string warning;  // one sentence when it did, but not quite as asked for
  long steps = 0;
  IntegratorCounts counts;
  long internal_events = 0;
  double tolerance = 0;        // as used
  double unit_norm_error = 0;  // largest | |u| - 1 |; explicit methods: before normalising
  double wall_seconds = 0;     // of the integration, callbacks included
  // What projection did, over all steps: largest changes of a number, sum of energy changes and of
  // their sizes.
  double projected_position = 0, projected_velocity = 0;
  double projected_energy = 0, projected_energy_size = 0;
  long projections = 0;  // steps in which anything was moved
  long impacts = 0;
  double energy_lost = 0;       // in them
  double contact_residual = 0;  // largest violation of the laws of contact, relative to the forces
  State final_state;            // the last good one

  bool ok() const {
    return status == RunStatus::completed || status == RunStatus::stopped_by_event;
  }
};

// All optional. The references are good during the call only.
struct Observer {
  std::function<void(const State&)> on_sample;
  std::function<void(const EventRecord&)> on_event;
  std::function<void(const Impact&)> on_impact;
  // a jump of the state, with what it was before and what came of it; before its impacts are told
  std::function<void(const State& before, const State& after, const JumpNotes&)> on_jump;
  std::function<void(const DenseStep&)> on_step;     // after the events inside of it
  std::function<void(double fraction)> on_progress;  // about a thousand times
};

SimulateReport simulate(const System& system, const State& start, const SimulateOptions& options,
                        const Observer& observer);
// Samples and events into `path`.
SimulateReport simulate(const System& system, const State& start, const SimulateOptions& options,
                        Trajectory& path);

}  // namespace cartan::integrate
