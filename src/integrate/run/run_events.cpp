// Events and jumps within a step.
#include <algorithm>
#include <cmath>

#include "integrate/epsilon.h"
#include "integrate/run/printed.h"
#include "integrate/run/simulation_run.h"

namespace cartan::integrate {

namespace {

constexpr int max_internal_events = 1000;  // within one step
// Parts of the time to the next jump that a step may take.
constexpr double before_next_jump = 0.7, beyond_next_jump = 1.3;

}  // namespace

// Events of the last step in order of time. One that changes the state cuts the step short there;
// others at the same instant are handled with it. False: the run is over.
bool SimulationRun::take_events() {
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
bool SimulationRun::events_defined() {
  if (events_.undefined() < 0) return true;
  return end(RunStatus::not_finite,
             format("the event '%s' is not defined at t = %.9g: its function is not a number there",
                    system_.events()[events_.undefined()].name.c_str(), events_.undefined_time()));
}

// The state after `length` of the last step, into at_event_.
bool SimulationRun::fill_event_state(double length) {
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
bool SimulationRun::fire(const Crossing& crossing) {
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

bool SimulationRun::is_chattering(const EventInfo& info) {
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
bool SimulationRun::take_notes() {
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
bool SimulationRun::close_accumulated() {
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
// side at its end; or behind it, where others' steps are followed and the jump is to be found in
// one of them; and at the limit of a sequence of impacts.
void SimulationRun::shorten(double& h, double& t_next) {
  const double part = options_.follow ? beyond_next_jump : before_next_jump;
  if (next_jump_ > 0 && part * next_jump_ < h) {
    h = part * next_jump_;
    t_next = state_.t + h;
  }
  next_jump_ = 0;
  if (!closing_.empty() && closing_t_ < state_.t + h) {
    h = closing_t_ - state_.t;
    t_next = closing_t_;
  }
}

void SimulationRun::tell_closing() {
  if (state_.t < closing_t_) return;
  if (observer_.on_event)
    for (int contact : closing_)
      observer_.on_event({-1, system_.contact_name(contact) + " closes", 0, state_});
  closing_.clear();
}

}  // namespace cartan::integrate
