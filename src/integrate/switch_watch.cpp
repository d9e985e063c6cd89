#include "integrate/switch_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/branches.h"

namespace cartan::integrate {
namespace {

constexpr int most_changes = 1000;  // within one step
constexpr double quick_part = 0.01;
constexpr int most_quick = 30;    // within that part of one
constexpr int steady_steps = 20;  // after which a sampled switch is located again

}  // namespace

SwitchWatch::SwitchWatch(const System& system, double step) : system_(system), step_(step) {
  if (const auto* switched = dynamic_cast<const Switched*>(&system))
    switches_ = &switched->switches();
  if (!active()) return;
  of_event_.assign(system.events().size(), -1);
  for (std::size_t k = 0; k < switches_->size(); ++k)
    of_event_[(*switches_)[k].event] = static_cast<int>(k);
  tracks_.resize(switches_->size());
  values_.resize(system.events().size());
}

// The event function of a branch held above zero is the argument itself.
double SwitchWatch::argument(int which, State& state, Workspace& workspace) {
  const SwitchInfo& info = (*switches_)[which];
  int& branch = state.mode[info.mode];
  const int before = branch;
  branch = info.corners.empty() ? 1 : branch_argument;
  system_.event_values(state, values_, workspace);
  branch = before;
  return values_[info.event];
}

int SwitchWatch::branch_at(const SwitchInfo& info, double argument) const {
  if (info.corners.empty()) return argument > 0 ? 1 : argument < 0 ? -1 : info.at_zero;
  const int n = static_cast<int>(info.corners.size());
  int before = 0, first = 0;  // corners passed in earlier periods; where counting begins
  if (info.period > 0) {
    const double periods = std::floor((argument - info.corners[0]) / info.period);
    if (!(std::fabs(periods) < branch_periods)) return branch_free;
    before = n * static_cast<int>(periods);
    first = n * branch_periods - 1;
    argument -= periods * info.period;
  }
  const auto after = std::upper_bound(info.corners.begin(), info.corners.end(), argument);
  return static_cast<int>(after - info.corners.begin()) + 1 + before + first;
}

// The corner at the upper end of a piece; that at the lower end belongs to the piece before.
double SwitchWatch::upper_corner(const SwitchInfo& info, int branch) const {
  const int n = static_cast<int>(info.corners.size());
  if (info.period > 0) {
    const int j = branch - n * branch_periods;  // of all periods
    const int periods = static_cast<int>(std::floor(static_cast<double>(j) / n));
    return info.corners[j - n * periods] + periods * info.period;
  }
  if (branch < 1) return -std::numeric_limits<double>::infinity();
  if (branch > n) return std::numeric_limits<double>::infinity();
  return info.corners[branch - 1];
}

// The argument of one may depend on the branch of another: again until nothing changes.
void SwitchWatch::hold(State& state, Workspace& workspace) {
  if (!active()) return;
  const int count = static_cast<int>(switches_->size());
  sampled_ = 0;
  bool changed = true;
  for (int round = 0; changed && round <= count; ++round) {
    changed = false;
    for (int k = 0; k < count; ++k) {
      const SwitchInfo& info = (*switches_)[k];
      if (tracks_[k].given_up) continue;
      const int branch = branch_at(info, argument(k, state, workspace));
      changed = changed || branch != state.mode[info.mode];
      state.mode[info.mode] = branch;
    }
  }
  for (int k = 0; k < count; ++k) count_change(k, state);
}

// A switch that has changed too often is looked at once per step from here on.
void SwitchWatch::count_change(int which, State& state) {
  const SwitchInfo& info = (*switches_)[which];
  Track& track = tracks_[which];
  int& branch = state.mode[info.mode];
  const bool first = track.branch == branch_free, same = track.branch == branch;
  track.branch = branch;
  if (first || same || !is_endless(track, state.t)) return;
  warn(info, state.t);
  if (!info.corners.empty()) {  // more corners than steps: as written
    branch = branch_free;
    track.given_up = true;
    return;
  }
  branch *= branch_sampled;
  track.steady = 0;
  looked_ = state.t;
  ++sampled_;
}

void SwitchWatch::cross(int event, State& state, Workspace& workspace) {
  const int which = of_event_[event];
  const SwitchInfo& info = (*switches_)[which];
  int& branch = state.mode[info.mode];
  if (!info.corners.empty()) {
    const double x = argument(which, state, workspace);
    const bool up = upper_corner(info, branch) - x < x - upper_corner(info, branch - 1);
    branch += up ? 1 : -1;
  } else if (branch == branch_zero) {  // sign(0) = 0 is left
    const double x = argument(which, state, workspace);
    branch = x < 0 ? -1 : 1;
  } else {
    branch = -branch;
  }
  if (info.root && root_warning_.empty())
    root_warning_ = "in '" + info.text +
                    "' a root or broken power begins where it switches: there a method of fixed "
                    "steps has no higher order than that power and one. Use dop853, which shortens "
                    "its steps there";
  count_change(which, state);
}

bool SwitchWatch::is_endless(Track& track, double t) const {
  if (track.changes == 0 || t > track.since + step_) track.since = t, track.changes = 0;
  if (track.quick == 0 || t > track.burst + quick_part * step_) track.burst = t, track.quick = 0;
  ++track.changes;
  ++track.quick;
  return track.changes > most_changes || track.quick > most_quick;
}

bool SwitchWatch::begin_step(State& state, Workspace& workspace) {
  // Methods that choose their steps begin anew with very short ones.
  if (state.t < looked_ + (1 - 1e-9) * step_) return false;
  looked_ = state.t;
  bool changed = false;
  for (std::size_t k = 0; k < switches_->size(); ++k) {
    const SwitchInfo& info = (*switches_)[k];
    int& branch = state.mode[info.mode];
    if (!info.corners.empty() || std::abs(branch) != branch_sampled) continue;
    const int now = branch_at(info, argument(static_cast<int>(k), state, workspace));
    const int next = (now == branch_zero ? branch_above : now) * branch_sampled;
    Track& track = tracks_[k];
    track.steady = next == branch ? track.steady + 1 : 0;
    changed = changed || next != branch;
    branch = next;
    if (track.steady < steady_steps) continue;
    branch = now;
    track = {};
    --sampled_;
    changed = true;
  }
  return changed;
}

void SwitchWatch::release(State& state) const {
  if (!active()) return;
  for (const SwitchInfo& info : *switches_) state.mode[info.mode] = 0;
}

void SwitchWatch::note_free_step(const State& state) {
  if (!warning_.empty()) return;
  char time[32];
  std::snprintf(time, sizeof time, "%.6g", state.t);
  std::string texts;
  for (const SwitchInfo& info : *switches_)
    if (texts.find("'" + info.text + "'") == std::string::npos && texts.size() < 300)
      texts += (texts.empty() ? "'" : ", '") + info.text + "'";
  warning_ = "at t = " + std::string(time) + " the switches of " + texts +
             " could not be located: a formula has no value beyond its switching point, or the "
             "method takes no shorter step. There the result is of low order in the step. Use "
             "dop853, or write the expression "
             "so that both of its formulas have values near the switching point";
}

void SwitchWatch::warn(const SwitchInfo& info, double t) {
  if (endless_) return;  // the first is told
  endless_ = true;
  char time[32];
  std::snprintf(time, sizeof time, "%.6g", t);
  if (!info.corners.empty()) {
    warning_ = "at t = " + std::string(time) + " the corners of the table in '" + info.text +
               "' begin to follow each other within a small part of a step: from there on they "
               "are not located, and the result is of low order in the step. Use a smaller step, "
               "or a table whose curve is smooth ('spline')";
    return;
  }
  warning_ = "at t = " + std::string(time) + " '" + info.text +
             "' begins to switch back and forth without end: there it is looked at once per step "
             "only, and the result is of first order in the step. ";
  warning_ +=
      "For dry friction use a [[force]] of type \"friction\", which sticks; otherwise "
      "smooth it, as tanh(x/width) does for sign(x)";
}

}  // namespace cartan::integrate
