#include "integrate/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <utility>

#include "core/failure_note.h"
#include "integrate/accumulation.h"
#include "integrate/epsilon.h"
#include "integrate/switch_watch.h"

namespace cartan::integrate {
namespace {

constexpr int max_internal_events = 1000;  // within one step
constexpr double before_next_jump = 0.7;   // part of the time to the next jump that a step may take

__attribute__((format(printf, 1, 2))) std::string format(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

bool is_positive(double value) {
  return value > 0 && std::isfinite(value);
}

// One sentence on what is wrong with the options, or nothing.
std::string check_options(const SimulateOptions& o, const System& system, const State& start) {
  if (!find_integrator(o.integrator))
    return "there is no integrator '" + o.integrator + "'; known: " + integrator_names();
  if (o.fixed_step && find_integrator(o.integrator)->order == 0)
    return o.integrator +
           " chooses its order with its steps and takes no fixed ones; use rk45, "
           "rkmk45, dop853 or gl1 to gl8";
  if (std::string refusal = refuse_integrator(o.integrator, system); !refusal.empty())
    return refusal;
  if (!(o.duration >= 0 && std::isfinite(o.duration)))
    return format("duration is %g; expected a finite number that is not negative", o.duration);
  if (!is_positive(o.step)) return format("step is %g; expected a positive number", o.step);
  if (o.every < 1) return format("every is %d; expected at least 1", o.every);
  if (!(o.tolerance >= 0 && o.tolerance < 1))
    return format("tolerance is %g; expected a positive number below 1", o.tolerance);
  if (!(o.spectral_radius >= 0 && o.spectral_radius <= 1))
    return format("the spectral radius is %g; expected a number from 0 to 1", o.spectral_radius);
  if (static_cast<int>(start.x.size()) != system.space().size())
    return format("the state has %zu numbers, the system %d", start.x.size(),
                  system.space().size());
  for (std::size_t i = 0; i < start.x.size(); ++i)
    if (!std::isfinite(start.x[i]))
      return "the initial value of " + system.component_name(static_cast<int>(i)) +
             " is not finite";
  if (!std::isfinite(start.t)) return "the initial time is not finite";
  // Times this far from zero are told apart by double_epsilon |t|; steps must be longer than that.
  const double farthest = std::max(std::fabs(start.t), std::fabs(start.t + o.duration));
  const double shortest = 16 * double_epsilon * farthest;
  if (o.duration > 0 && std::min(o.step, o.duration) < shortest)
    return format(
        "the step is %g s, but at t = %g s times closer than %.2g s cannot be told apart; use a "
        "longer step, a shorter duration or a start nearer to t = 0",
        std::min(o.step, o.duration), farthest, shortest);
  return "";
}

IntegratorOptions integrator_options(const IntegratorInfo& info, const SimulateOptions& o) {
  return {o.tolerance > 0 ? o.tolerance : info.default_tolerance,
          o.fixed_step,
          o.max_step,
          o.spectral_radius,
          o.normalise,
          o.rms_norm,
          o.functional_iteration};
}

class Run {
 public:
  Run(const System& system, const State& start, const SimulateOptions& options,
      const Observer& observer);
  SimulateReport operator()();

 private:
  void run_fixed();
  void run_adaptive();
  bool advance(double h, double t_next);  // one step and its events; false: the run is over
  bool step_freely(double h, double t_next);
  void hold_again();
  bool take_events();
  bool events_defined();
  bool fill_event_state(double length);
  bool fire(const Crossing& crossing);
  bool is_chattering(const EventInfo& info);
  bool take_notes();
  bool close_accumulated();
  void shorten(double& h, double& t_next);
  void tell_closing();
  bool project(State& state, bool at_step_end);
  bool forgives_projection();
  bool sample_until(double t);
  void give_sample(const State& state);
  void show_progress();
  bool end(RunStatus status, std::string message);
  std::string describe_growth();
  bool fail(const StepReport& step);

  const System& system_;
  const SimulateOptions& options_;
  const Observer& observer_;
  const IntegratorInfo& info_;
  const bool adaptive_, projecting_;
  std::unique_ptr<Integrator> integrator_;
  EventFinder events_;
  SwitchWatch switches_;
  State state_;  // now
  State at_event_, sample_, before_jump_, unprojected_;
  std::string lost_;  // why the end of the last step could not be projected
  const double t_begin_, t_end_;
  double sampled_t_ = std::numeric_limits<double>::quiet_NaN();  // of the last sample
  long grid_samples_ = 0;  // adaptive: samples given on the recording grid
  double shown_ = 0;       // progress last told
  // chattering: internal events since a time
  double chatter_begin_;
  int chatter_count_ = 0;
  bool free_step_ = false;  // the last step was taken with switches as written
  bool changed_ = false;    // an event of this step changed the state
  AccumulationWatch accumulation_;
  double next_jump_ = 0;  // expected after that time; 0: nothing is known
  // contacts that are closed since the last impact before the limit of a sequence of them, and it
  std::vector<int> closing_;
  double closing_t_ = 0;
  std::vector<Crossing> handled_;
  SimulateReport report_;
};

Run::Run(const System& system, const State& start, const SimulateOptions& options,
         const Observer& observer)
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

SimulateReport Run::operator()() {
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
void Run::run_fixed() {
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
void Run::run_adaptive() {
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

bool Run::advance(double h, double t_next) {
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
bool Run::forgives_projection() {
  if (!events_.active()) return false;
  lost_ = std::exchange(report_.message, {});
  report_.status = RunStatus::completed;
  state_ = unprojected_;
  return true;
}

// A step over switches whose held formulas go wrong beyond their switching points: as written.
bool Run::step_freely(double h, double t_next) {
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
void Run::hold_again() {
  free_step_ = false;
  switches_.hold(state_, integrator_->workspace());
  integrator_->restart();
  events_.restart(state_, {}, integrator_->workspace());
}

// Back to the constraints. What the integrator knows about the end of the step is then void.
bool Run::project(State& state, bool at_step_end) {
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

// ------------------------------------------------------------------------------------------ events

// Events of the last step in order of time. One that changes the state cuts the step short there;
// others at the same instant are handled with it. False: the run is over.
bool Run::take_events() {
  const double length = integrator_->last_length();
  const double same = 1e-12 * length + 8 * double_epsilon * std::fabs(state_.t);
  bool over = false;
  double cut = length;
  changed_ = false;
  handled_.clear();
  const std::span<const Crossing> crossings = events_.find(*integrator_, state_);
  if (!events_defined()) return false;
  for (const Crossing& c : crossings) {
    if (changed_ && c.length > cut + same) break;
    if (!changed_) {
      cut = c.length;
      if (!fill_event_state(cut)) return false;
      if (projecting_ && !project(at_event_, false)) return false;
    }
    over = !fire(c);
    handled_.push_back(c);
    if (over) break;
  }
  if (!over && !changed_) {
    if (events_.missed_switch()) switches_.note_free_step(state_), free_step_ = true;
    if (observer_.on_step) observer_.on_step(DenseStep(*integrator_, state_));
    return true;
  }
  if (!over && changed_ && !close_accumulated()) return false;
  if (projecting_ && changed_ && !project(at_event_, false)) return false;
  if (adaptive_ && !sample_until(at_event_.t)) return false;
  if (observer_.on_step) observer_.on_step(DenseStep(*integrator_, state_, at_event_.t));
  state_ = at_event_;
  if (over) return false;
  integrator_->restart();
  events_.restart(state_, handled_, integrator_->workspace());
  return events_defined();
}

// Crossings of a function that is not a number cannot be told: the run cannot go on.
bool Run::events_defined() {
  if (events_.undefined() < 0) return true;
  return end(RunStatus::not_finite,
             format("the event '%s' is not defined at t = %.9g: its function is not a number there",
                    system_.events()[events_.undefined()].name.c_str(), events_.undefined_time()));
}

// The state after `length` of the last step, into at_event_.
bool Run::fill_event_state(double length) {
  at_event_.mode = state_.mode;
  if (length >= integrator_->last_length()) {
    at_event_ = state_;
    return true;
  }
  at_event_.t = std::min(integrator_->last_start() + length, state_.t);
  const double theta = std::max(0.0, length / integrator_->last_length());
  if (theta == 0 || events_.is_near_end(theta)) return integrator_->dense(theta, at_event_.x);
  const StepReport step = integrator_->restep(length, at_event_.x);
  return step.status == StepStatus::ok || fail(step);
}

// Tells the observer and the system. False: the run ends here.
bool Run::fire(const Crossing& crossing) {
  const EventInfo& info = system_.events()[crossing.index];
  if (switches_.owns(crossing.index)) {
    switches_.cross(crossing.index, at_event_, integrator_->workspace());
    changed_ = true;
    return true;
  }
  if (info.internal) {
    ++report_.internal_events;
    if (is_chattering(info)) return false;
  } else if (observer_.on_event) {
    observer_.on_event({crossing.index, info.name, crossing.direction, at_event_});
  }
  if (observer_.on_jump) before_jump_ = at_event_;
  if (system_.handle_event(crossing.index, at_event_, integrator_->workspace())) changed_ = true;
  if (observer_.on_jump) observer_.on_jump(before_jump_, at_event_, integrator_->workspace().jumps);
  if (!take_notes()) return false;
  if (!info.stop) return true;
  return end(RunStatus::stopped_by_event,
             format("stopped at t = %.12g by event '%s'", at_event_.t, info.name.c_str()));
}

bool Run::is_chattering(const EventInfo& info) {
  if (at_event_.t > chatter_begin_ + options_.step) {
    chatter_begin_ = at_event_.t;
    chatter_count_ = 0;
  }
  if (++chatter_count_ <= max_internal_events) return false;
  end(RunStatus::chattering,
      format("more than %d internal events between t = %.9g and %.9g (within one step); the last "
             "is '%s'",
             max_internal_events, chatter_begin_, at_event_.t, info.name.c_str()));
  return true;
}

// What a jump left behind: impacts to tell, or that the motion cannot go on.
bool Run::take_notes() {
  JumpNotes& notes = integrator_->workspace().jumps;
  next_jump_ = notes.soon;
  report_.contact_residual = std::max(report_.contact_residual, notes.residual);
  if (!notes.remark.empty() && report_.warning.empty()) report_.warning = notes.remark;
  if (!notes.impacts.empty()) {
    chatter_count_ = std::max(0, chatter_count_ - 1);  // a sequence of impacts has its own end
    accumulation_.add(notes.impacts[0].t, notes.impacts);
  }
  for (const Impact& impact : notes.impacts) {
    ++report_.impacts;
    report_.energy_lost += impact.energy_lost;
    if (observer_.on_impact) observer_.on_impact(impact);
  }
  const std::string problem = notes.problem;
  notes.clear();
  if (problem.empty()) return true;
  return end(RunStatus::no_jump, format("at t = %.12g: ", at_event_.t) + problem);
}

// Impacts that come ever faster: their contacts close now. At the limit of the sequence this makes
// no difference but of higher order in what is left of it.
bool Run::close_accumulated() {
  const std::span<const int> contacts = accumulation_.find_limit(at_event_.t, closing_t_);
  if (contacts.empty()) return true;
  closing_.assign(contacts.begin(), contacts.end());
  if (closing_t_ < at_event_.t + 16 * double_epsilon * std::max(1.0, std::fabs(at_event_.t)))
    closing_t_ = at_event_.t;
  system_.close_contacts(closing_, at_event_, integrator_->workspace());
  accumulation_.forget(closing_);
  next_jump_ = integrator_->workspace().jumps.soon;
  const std::string problem = integrator_->workspace().jumps.problem;
  integrator_->workspace().jumps.clear();
  return problem.empty() ||
         end(RunStatus::no_jump, format("at t = %.12g: ", at_event_.t) + problem);
}

// A step ends before the next expected jump, so that what is zero at its start is clearly on one
// side at its end; and at the limit of a sequence of impacts.
void Run::shorten(double& h, double& t_next) {
  if (next_jump_ > 0 && before_next_jump * next_jump_ < h) {
    h = before_next_jump * next_jump_;
    t_next = state_.t + h;
  }
  next_jump_ = 0;
  if (!closing_.empty() && closing_t_ < state_.t + h) {
    h = closing_t_ - state_.t;
    t_next = closing_t_;
  }
}

void Run::tell_closing() {
  if (state_.t < closing_t_) return;
  if (observer_.on_event)
    for (int contact : closing_)
      observer_.on_event({-1, system_.contact_name(contact) + " closes", 0, state_});
  closing_.clear();
}

// ----------------------------------------------------------------------------------------- samples

bool Run::sample_until(double t) {
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

void Run::give_sample(const State& state) {
  sampled_t_ = state.t;
  if (observer_.on_sample) observer_.on_sample(state);
}

void Run::show_progress() {
  if (!observer_.on_progress) return;
  const double fraction = (state_.t - t_begin_) / (t_end_ - t_begin_);
  if (fraction < shown_ + 0.001 && fraction < 1) return;
  shown_ = fraction;
  observer_.on_progress(fraction);
}

// ------------------------------------------------------------------------------------------ ending

// Always false: the run is over.
bool Run::end(RunStatus status, std::string message) {
  report_.status = status;
  report_.message = std::move(message);
  return false;
}

// Steps became shorter and shorter with errors within the tolerance: what changes fastest.
std::string Run::describe_growth() {
  const int n = system_.space().size() - system_.quadratures();
  std::vector<double> rates(state_.x.size());
  system_.derivative(state_, rates, integrator_->workspace());
  int fastest = 0;
  for (int i = 1; i < n; ++i)
    if (!(std::fabs(rates[i]) <= std::fabs(rates[fastest]))) fastest = i;
  return format(
      "error control asks for a step below the resolution of t: %s has the value %.3g and changes "
      "at the rate %.3g. The motion may be singular here, or grow without bound",
      n > 0 ? system_.component_name(fastest).c_str() : "the state", n > 0 ? state_.x[fastest] : 0,
      n > 0 ? rates[fastest] : 0);
}

bool Run::fail(const StepReport& step) {
  const std::string worst = step.component >= 0 ? system_.component_name(step.component) : "";
  const std::string where =
      format("%s at t = %.9g with step %.3g: ", info_.name, state_.t, step.taken);
  if (!step.problem.empty()) return end(RunStatus::no_convergence, where + step.problem);
  if (const std::string note = take_failure_note(); !note.empty())
    return end(RunStatus::not_finite, where + note);
  const std::string reason = system_.explain_failure(state_, integrator_->workspace());
  if (!reason.empty()) return end(RunStatus::constraints_lost, where + reason);
  switch (step.status) {
    case StepStatus::no_convergence:
      if (adaptive_)
        return end(RunStatus::no_convergence,
                   where +
                       "Newton's iteration did not converge, however short the step; f may not "
                       "be smooth here");
      return end(RunStatus::no_convergence,
                 where + format("the stages did not converge; after %d iterations %s still changes "
                                "by %.3g (tolerance %.3g). Use a smaller step",
                                step.iterations, worst.c_str(), step.measure, report_.tolerance));
    case StepStatus::step_too_small:
      if (step.component < 0) return end(RunStatus::step_too_small, where + describe_growth());
      return end(RunStatus::step_too_small,
                 where + format("error control asks for a step below the resolution of t; the "
                                "error of %s is %.3g times the tolerance %.3g. The motion may be "
                                "singular here",
                                worst.c_str(), step.measure, report_.tolerance));
    case StepStatus::tolerance_too_tight:
      return end(RunStatus::step_too_small,
                 where + format("the tolerance %.3g is below what rounding of the state allows; "
                                "use at least %.1g",
                                report_.tolerance, 2 * step.measure));
    default:
      return end(RunStatus::not_finite,
                 where + "the derivative or the new state is not a finite number");
  }
}

}  // namespace

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
  return Run(system, start, options, observer)();
}

SimulateReport simulate(const System& system, const State& start, const SimulateOptions& options,
                        Trajectory& path) {
  Observer observer;
  observer.on_sample = [&](const State& state) { path.append(state); };
  observer.on_event = [&](const EventRecord& event) { path.events.push_back(event); };
  const SimulateReport report = simulate(system, start, options, observer);
  path.provenance = {options.integrator, options.step,  options.duration,
                     report.tolerance,   options.every, options.fixed_step};
  return report;
}

}  // namespace cartan::integrate
