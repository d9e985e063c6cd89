#include "integrate/run/simulation_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/failure_note.h"
#include "integrate/epsilon.h"
#include "integrate/run/printed.h"
#include "integrate/run/run_options.h"

namespace cartan::integrate {

SimulationRun::SimulationRun(const System& system, const State& start,
                             const SimulateOptions& options, const Observer& observer)
    : system_(system),
      options_(options),
      observer_(observer),
      info_(*find_integrator(options.integrator)),
      adaptive_(info_.adaptive && !options.fixed_step),
      projecting_(system.constrained() && options.project),
      integrator_(info_.make(system, integrator_options(info_, options))),
      events_(system, options.follow != nullptr),
      switches_(system, options.step),
      state_(start),
      at_event_(start),
      sample_(start),
      t_begin_(start.t),
      t_end_(start.t + options.duration),
      chatter_begin_(start.t),
      accumulation_(system.contact_count()) {
  report_.tolerance = integrator_options(info_, options).tolerance;
  handled_.reserve(16);
}

SimulateReport SimulationRun::operator()() {
  const auto begin = std::chrono::steady_clock::now();
  switches_.hold(state_, integrator_->workspace());
  integrator_->workspace().jumps.clear();
  bool started = true;
  if (system_.settle(state_, integrator_->workspace()) && projecting_)
    started = project(state_, false);
  started = take_notes() && started;
  integrator_->restart();
  events_.restart(state_, {}, integrator_->workspace());
  give_sample(state_);
  if (options_.duration > 0 && started && events_defined())
    adaptive_ ? run_adaptive() : run_fixed();
  if (state_.t != sampled_t_) give_sample(state_);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  report_.wall_seconds = wall.count();
  report_.counts = integrator_->counts();
  report_.unit_norm_error = std::max(report_.unit_norm_error, report_.counts.max_unit_norm_error);
  report_.final_state = state_;
  switches_.release(report_.final_state);
  if (const std::string warning = switches_.warning(adaptive_); !warning.empty())
    report_.warning = warning;
  const IntegratorCounts& counts = report_.counts;
  if (counts.noisy_steps > 0 && report_.warning.empty())
    report_.warning = format(
        "in %ld of %ld steps rounding of the derivative kept the stages from "
        "settling below %.2g (tolerance %.2g)",
        counts.noisy_steps, report_.steps, counts.max_stage_change, report_.tolerance);
  return report_;
}

// Times t0 + n h without drift. What is left at the end, when more than rounding, is a shorter
// step.
void SimulationRun::run_fixed() {
  const double h = options_.step, ratio = options_.duration / h;
  const double slack = 4 * double_epsilon * std::max({ratio, std::fabs(t_begin_) / h, 1.0});
  const long whole = static_cast<long>(ratio + slack);
  const bool rest = ratio - static_cast<double>(whole) > slack;
  const long count = whole + rest;
  for (long n = 1; n <= count; ++n) {
    const bool last = n == count;
    const double t_next = last ? t_end_ : t_begin_ + static_cast<double>(n) * h;
    double length = last && rest ? t_next - state_.t : h;
    do {  // more than once where an event restarts the motion inside the step
      if (!advance(length, t_next)) return;
      length = t_next - state_.t;
    } while (state_.t < t_next);
    if (n % options_.every == 0) give_sample(state_);
  }
}

// Steps as error control wants them; samples from the dense output at t0 + k (every * step).
void SimulationRun::run_adaptive() {
  while (state_.t < t_end_) {
    const double left = t_end_ - state_.t;
    const bool whole = !switches_.sampling() || left <= options_.step;
    double length = whole ? left : options_.step;
    double t_next = whole ? t_end_ : state_.t + length;
    if (options_.follow) {
      const double t = options_.follow->end_of_step(state_.t, options_.together);
      if (t < t_next) t_next = t, length = t - state_.t;
      integrator_->expect_length(length);
    }
    if (!advance(length, t_next)) return;
  }
}

bool SimulationRun::advance(double h, double t_next) {
  clear_failure_note();
  if (switches_.sampling() && switches_.begin_step(state_, integrator_->workspace())) {
    integrator_->restart();
    events_.restart(state_, {}, integrator_->workspace());
  }
  shorten(h, t_next);
  const StepReport step = integrator_->step(state_, h, t_next);
  if (step.status != StepStatus::ok && !step_freely(h, t_next)) return fail(step);
  ++report_.steps;
  if (info_.implicit)
    report_.unit_norm_error =
        std::max(report_.unit_norm_error, system_.space().unit_norm_error(state_.x));
  if (projecting_ && events_.active()) unprojected_ = state_;
  if (projecting_ && !project(state_, true) && !forgives_projection()) return false;
  if (events_.active() && !take_events()) return false;
  if (changed_) lost_.clear();
  if (!lost_.empty()) return end(RunStatus::constraints_lost, std::exchange(lost_, {}));
  if (!events_.active() && observer_.on_step) observer_.on_step(DenseStep(*integrator_, state_));
  if (!closing_.empty()) tell_closing();
  if (adaptive_ && !sample_until(state_.t)) return false;
  if (free_step_) hold_again();
  show_progress();
  if (options_.stop_requested && options_.stop_requested->load(std::memory_order_relaxed))
    return end(RunStatus::cancelled, format("stopped on request at t = %.12g", state_.t));
  return true;
}

// Constraints of a mode that ends within the step (a surface that should have let go) may
// contradict each other at its end: events are looked for first, and only where none cuts the step
// short is it over.
bool SimulationRun::forgives_projection() {
  if (!events_.active()) return false;
  lost_ = std::exchange(report_.message, {});
  report_.status = RunStatus::completed;
  state_ = unprojected_;
  return true;
}

// A step over switches whose held formulas go wrong beyond their switching points: as written.
bool SimulationRun::step_freely(double h, double t_next) {
  if (!switches_.active()) return false;
  State free = state_;
  switches_.release(free);
  integrator_->restart();
  if (integrator_->step(free, h, t_next).status != StepStatus::ok) return false;
  switches_.note_free_step(state_);
  state_ = free;
  free_step_ = true;
  return true;
}

// The branches of this state; what integrator and events know belongs to others.
void SimulationRun::hold_again() {
  free_step_ = false;
  switches_.hold(state_, integrator_->workspace());
  integrator_->restart();
  events_.restart(state_, {}, integrator_->workspace());
}

// Back to the constraints. What the integrator knows about the end of the step is then void.
bool SimulationRun::project(State& state, bool at_step_end) {
  const Projection done = system_.project(state, integrator_->workspace());
  if (!done.problem.empty())
    return end(RunStatus::constraints_lost, format("at t = %.9g: ", state.t) + done.problem);
  if (!at_step_end) return true;
  next_jump_ = integrator_->workspace().jumps.soon;
  integrator_->workspace().jumps.soon = 0;
  report_.projections += done.moved;
  report_.projected_position = std::max(report_.projected_position, done.position_change);
  report_.projected_velocity = std::max(report_.projected_velocity, done.velocity_change);
  report_.projected_energy += done.energy_change;
  report_.projected_energy_size += std::fabs(done.energy_change);
  if (done.moved) integrator_->moved();
  if (done.mode_changed) integrator_->restart();
  return true;
}

// ----------------------------------------------------------------------------------------- samples

bool SimulationRun::sample_until(double t) {
  const double interval = options_.step * options_.every;
  for (;;) {
    const double at = t_begin_ + static_cast<double>(grid_samples_ + 1) * interval;
    if (at > t || at > t_end_ - 1e-9 * interval) return true;  // the last state is given by itself
    ++grid_samples_;
    if (at == state_.t) {
      give_sample(state_);
      continue;
    }
    sample_.t = at;
    sample_.mode = state_.mode;
    if (!integrator_->dense((at - integrator_->last_start()) / integrator_->last_length(),
                            sample_.x))
      return end(RunStatus::not_finite,
                 format("the derivative is not a number in the step after t = %.12g",
                        integrator_->last_start()));
    if (projecting_ && !project(sample_, false)) return false;
    give_sample(sample_);
  }
}

void SimulationRun::give_sample(const State& state) {
  sampled_t_ = state.t;
  if (observer_.on_sample) observer_.on_sample(state);
}

void SimulationRun::show_progress() {
  if (!observer_.on_progress) return;
  const double fraction = (state_.t - t_begin_) / (t_end_ - t_begin_);
  if (fraction < shown_ + 0.001 && fraction < 1) return;
  shown_ = fraction;
  observer_.on_progress(fraction);
}

}  // namespace cartan::integrate
