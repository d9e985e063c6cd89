#include "integrate/events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "integrate/epsilon.h"
#include "system/switches.h"

namespace cartan::integrate {
namespace {

int sign(double value) {
  return (value > 0) - (value < 0);
}

// Where the step is looked at. The samples next to its ends show which way the function leaves
// them.
constexpr double probe = 1.0 / 1024;
// Loosely: changes of theta that are none, and the distance to an end of the step at which the
// dense output, with the slopes of the motion there, is as good as a step (its error goes with the
// square of it).
constexpr double loose_change = 1e-7, near_end = 1e-3;
constexpr double together = 1e-6;          // roots closer than this may be the same
constexpr double probe_margin = 1.0 / 16;  // sixteen times what a straight line has there
constexpr double far_above = 0.5;          // the bottom of a dip, as part of the lowest sample
constexpr double sample_places[] = {0, probe, 0.25, 0.5, 0.75, 1 - probe, 1};

}  // namespace

EventFinder::EventFinder(const System& system, bool loose)
    : system_(system),
      loose_(loose),
      count_(static_cast<int>(system.events().size())),
      side_(count_),
      noise_(count_),
      values_(count_),
      rough_(count_),
      x_(system.space().size()),
      level_(count_),
      is_far_(count_),
      is_switch_(count_) {
  if (const auto* switched = dynamic_cast<const Switched*>(&system))
    for (const SwitchInfo& info : switched->switches()) is_switch_[info.event] = 1;
  for (int j = 0; j < sample_count; ++j) {
    samples_[j].theta = sample_places[j];
    samples_[j].g.resize(count_);
  }
  crossings_.reserve(4 * count_);
}

void EventFinder::restart(const State& state, std::span<const Crossing> handled,
                          Workspace& workspace) {
  if (!active()) return;
  // A value that the location of the root leaves open says nothing about the side.
  for (int i = 0; i < count_; ++i) noise_[i] = 0;
  for (const Crossing& c : handled) {
    for (const Sample& sample : samples_)
      noise_[c.index] = std::max(noise_[c.index], std::fabs(sample.g[c.index]));
    noise_[c.index] *= 64 * resolution();
  }
  std::vector<double>& start = samples_[sample_count - 1].g;
  system_.event_values(state, start, workspace);
  look_for_undefined(start, state.t);
  choose_levels(start);
  for (int i = 0; i < count_; ++i) {
    const bool open = std::fabs(start[i]) <= noise_[i];
    // A mode that is left through zero from above may begin at zero (a joint held at its limit).
    const EventInfo& info = system_.events()[i];
    const int undecided = info.internal && info.direction < 0 ? 1 : 0;
    side_[i] = is_switch_[i] ? 1 : open ? undecided : sign(start[i]);
  }
}

// Values are measured from their levels from here on.
void EventFinder::choose_levels(std::span<double> values) {
  for (int i = 0; i < count_; ++i) {
    const double noise = system_.events()[i].noise;
    level_[i] = noise > 0 && values[i] <= noise ? std::min(values[i], 0.0) - noise : 0;
    values[i] -= level_[i];
  }
}

void EventFinder::take_level(std::span<double> values) const {
  for (int i = 0; i < count_; ++i) values[i] -= level_[i];
}

// At the end of a step: what is clearly above zero is measured from zero again.
void EventFinder::forget_levels(std::span<double> values) {
  for (int i = 0; i < count_; ++i) {
    if (level_[i] == 0 || !(values[i] + level_[i] > system_.events()[i].noise)) continue;
    values[i] += level_[i];
    level_[i] = 0;
  }
}

void EventFinder::look_for_undefined(std::span<const double> values, double t) {
  for (int i = 0; i < count_ && undefined_ < 0; ++i)
    if (std::isnan(values[i]) && !system_.events()[i].internal) {
      undefined_ = i;
      undefined_time_ = t;
    }
}

double EventFinder::value(int which, double t, std::span<const double> x) {
  system_.event_values({t, x, end_->mode}, values_, integrator_->workspace());
  return values_[which] - level_[which];
}

double EventFinder::dense_value(int which, double theta) {
  integrator_->dense(theta, x_);
  return value(which, integrator_->last_start() + theta * integrator_->last_length(), x_);
}

// At the end of a real step of that length.
double EventFinder::true_value(int which, double theta) {
  if (theta >= 1) return samples_[sample_count - 1].g[which];
  if (theta <= 0) return samples_[0].g[which];
  const double h = theta * integrator_->last_length();
  if (integrator_->restep(h, x_).status != StepStatus::ok)
    return std::numeric_limits<double>::quiet_NaN();
  return value(which, integrator_->last_start() + h, x_);
}

// Steps lengths closer than this (in theta) give the same time.
double EventFinder::resolution() const {
  const double t = std::max(std::fabs(integrator_->last_start()), std::fabs(end_->t));
  return std::max(double_epsilon, double_epsilon * t / integrator_->last_length());
}

// Somewhere in the step: not in its middle, where what swings along with the steps comes back.
void EventFinder::look_roughly() {
  constexpr double place = 0.4;
  const double t = integrator_->last_start() + place * integrator_->last_length();
  rough_ = samples_[0].g;
  if (!integrator_->rough(place, x_)) return;
  system_.event_values({t, x_, end_->mode}, rough_, integrator_->workspace());
  take_level(rough_);
}

// Those that stay on their side and within a factor of two. True where all of them do.
bool EventFinder::note_far_ones() {
  constexpr double share = 0.5;
  bool all = true;
  for (int i = 0; i < count_; ++i) {
    const double a = side_[i] * samples_[0].g[i], b = side_[i] * rough_[i],
                 c = side_[i] * samples_[sample_count - 1].g[i];
    is_far_[i] = a > 0 && b > 0 && c > 0 && std::min({a, b, c}) >= share * std::max({a, b, c});
    all &= is_far_[i] != 0;
  }
  return all;
}

std::span<const Crossing> EventFinder::find(Integrator& integrator, const State& end) {
  integrator_ = &integrator;
  end_ = &end;
  crossings_.clear();
  missed_switch_ = false;
  forget_levels(samples_[sample_count - 1].g);
  samples_[0].g = samples_[sample_count - 1].g;
  look_roughly();
  system_.event_values(end, samples_[sample_count - 1].g, integrator.workspace());
  take_level(samples_[sample_count - 1].g);
  if (note_far_ones()) return crossings_;
  for (int j = 2; j < sample_count - 2; ++j) fill_sample(j, j - 1);
  fill_probe(1, 0, 2);
  fill_probe(sample_count - 2, sample_count - 1, sample_count - 3);
  for (int j = 1; j < sample_count; ++j)
    look_for_undefined(samples_[j].g,
                       integrator.last_start() + samples_[j].theta * integrator.last_length());
  for (int i = 0; i < count_; ++i)
    if (!is_far_[i]) look_at(i);
  // few entries: insertion keeps the order of equals and needs no memory
  for (std::size_t i = 1; i < crossings_.size(); ++i)
    for (std::size_t j = i; j > 0 && crossings_[j].length < crossings_[j - 1].length; --j)
      std::swap(crossings_[j], crossings_[j - 1]);
  return crossings_;
}

// From the dense output; where there is none, that of another sample.
void EventFinder::fill_sample(int j, int otherwise) {
  const double theta = samples_[j].theta;
  const double t = integrator_->last_start() + theta * integrator_->last_length();
  if (!integrator_->dense(theta, x_)) {
    samples_[j].g = samples_[otherwise].g;
    return;
  }
  system_.event_values({t, x_, end_->mode}, samples_[j].g, integrator_->workspace());
  take_level(samples_[j].g);
}

// The sample next to an end of the step. Where all functions are far from zero there, compared with
// how they change until the next sample, none of them can leave that side so close to the end.
void EventFinder::fill_probe(int j, int end, int next) {
  const std::vector<double>&g = samples_[end].g, &beyond = samples_[next].g;
  for (int i = 0; i < count_; ++i)
    if (!(std::fabs(g[i]) > probe_margin * std::fabs(beyond[i] - g[i]))) return fill_sample(j, end);
  samples_[j].g = g;
}

void EventFinder::look_at(int which) {
  int known = 0;  // last sample with a side
  for (int j = 1; j < sample_count; ++j) {
    const int s = sign(samples_[j].g[which]);
    double dip = 0;
    if (side_[which] != 0 && s == side_[which] && j + 1 < sample_count &&
        find_dip(which, j - 1, dip)) {
      add_crossing(which, samples_[known].theta, dip, -s);
      add_crossing(which, dip, samples_[j + 1].theta, s);
    } else if (s != 0) {
      if (side_[which] != 0 && s != side_[which])
        add_crossing(which, samples_[known].theta, samples_[j].theta, s);
      side_[which] = s;
    }
    if (s != 0) known = j;
  }
}

// Samples left, left+1, left+2 on one side with the middle one lowest: follows the parabola through
// three points towards zero. True when it gets across, at theta.
bool EventFinder::find_dip(int which, int left, double& theta) {
  double a = samples_[left].theta, b = samples_[left + 1].theta, c = samples_[left + 2].theta;
  const int s = sign(samples_[left + 1].g[which]);
  double fa = s * samples_[left].g[which], fb = s * samples_[left + 1].g[which],
         fc = s * samples_[left + 2].g[which];
  if (!(fa > fb && fc > fb)) return false;
  // each look costs a value of all functions: none where the parabola stays far above zero
  const double left_slope = (fb - fa) / (b - a), right_slope = (fc - fb) / (c - b);
  const double curvature = (right_slope - left_slope) / (c - a);
  const double slope = right_slope - curvature * (c - b);
  if (fb - slope * slope / (4 * curvature) > far_above * fb) return false;
  for (int iteration = 0; iteration < 8; ++iteration) {
    const double p = (b - a) * (fb - fc), q = (b - c) * (fb - fa);
    const double bottom = b - 0.5 * ((b - a) * p - (b - c) * q) / (p - q);
    if (!(bottom > a && bottom < c) || std::fabs(bottom - b) < 1e-9) return false;
    const double f = s * dense_value(which, bottom);
    if (f < 0) {
      theta = bottom;
      return true;
    }
    // the middle stays the lowest of three
    if (f < fb) {
      (bottom < b ? c : a) = b;
      (bottom < b ? fc : fa) = fb;
      b = bottom;
      fb = f;
    } else {
      (bottom < b ? a : c) = bottom;
      (bottom < b ? fa : fc) = f;
    }
  }
  return false;
}

void EventFinder::add_crossing(int which, double left, double right, int after) {
  const int direction = system_.events()[which].direction;
  if (direction != 0 && direction != after) return;
  double theta = 0;
  if (locate(which, left, right, after, theta))
    crossings_.push_back({which, after, theta * integrator_->last_length()});
  else if (system_.contact_count() > 0 && system_.events()[which].internal && !is_switch_[which]) {
    // Two roots next to each other: the mode must change all the same, next to them. But what the
    // dense output alone has below zero has not crossed: a gap that opens with the third power of
    // time is smaller than the error of that polynomial at first.
    const double beyond = true_value(which, right);
    if (beyond * after > 0 || !std::isfinite(beyond))
      crossings_.push_back({which, after, theta * integrator_->last_length()});
  } else
    missed_switch_ = missed_switch_ || is_switch_[which];
}

bool EventFinder::locate(int which, double left, double right, int after, double& theta) {
  theta = dense_root(which, left, right, after);
  if (is_near_end(theta)) return true;
  const double guess = theta;
  // What vanishes together (the speed of a joint as an event, and its friction) is found once: from
  // the root of the other no step more is needed.
  for (const Crossing& c : crossings_) {
    const double other = c.length / integrator_->last_length();
    if (std::fabs(other - guess) <= together) theta = other;
  }
  if (polish(which, after, theta) && theta >= left - 0.05 && theta <= right + 0.05) return true;
  theta = guess;
  if (bracket(which, left, right, after, theta)) return true;
  return bracket(which, 0, 1, after, theta);
}

bool EventFinder::is_near_end(double theta) const {
  return loose_ && integrator_->dense_has_slopes() && std::min(theta, 1 - theta) < near_end;
}

// Root of the dense output between two places of different sign (regula falsi, Illinois variant).
double EventFinder::dense_root(int which, double left, double right, int after) {
  double fl = dense_value(which, left), fr = dense_value(which, right);
  if (fl * after >= 0) return left;
  if (fr * after <= 0) return right;
  int kept = 0;
  const double narrow = loose_ ? 1e-9 : 1e-12;
  for (int iteration = 0; iteration < 100 && right - left > narrow; ++iteration) {
    const double middle = (left * fr - right * fl) / (fr - fl);
    const double f = dense_value(which, middle);
    if (f == 0) return middle;
    if (f * after > 0) {
      right = middle;
      fr = f;
      if (kept == -1) fl *= 0.5;
      kept = -1;
    } else {
      left = middle;
      fl = f;
      if (kept == 1) fr *= 0.5;
      kept = 1;
    }
  }
  return std::fabs(fl) < std::fabs(fr) ? left : right;
}

// Secant method with real steps; the first slope is that of the dense output. The slope must stay
// on its side: of two crossings close together, this finds the one meant.
bool EventFinder::polish(int which, int after, double& theta) {
  const double small = 1e-4, low = std::max(0.0, theta - small),
               high = std::min(1.0, theta + small);
  double slope = (dense_value(which, high) - dense_value(which, low)) / (high - low);
  double f = true_value(which, theta);
  for (int iteration = 0; iteration < 8; ++iteration) {
    if (!(slope * after > 0)) return false;
    if (f == 0) return true;
    const double next = theta - f / slope;
    if (!(next >= 0 && next <= 1)) return false;
    const double change = std::fabs(next - theta);
    if (change <= (loose_ ? loose_change : resolution())) {
      if (loose_) theta = next;
      return true;
    }
    const double f_next = true_value(which, next);
    if (!std::isfinite(f_next)) return false;
    // rounding: the value no longer falls although the change is at the level of the last digits
    if (std::fabs(f_next) >= std::fabs(f)) return change <= 8 * resolution();
    slope = (f_next - f) / (next - theta);
    theta = next;
    f = f_next;
  }
  return false;
}

// Bisection with real steps, where the secant method went astray. False: no change of sign.
bool EventFinder::bracket(int which, double left, double right, int after, double& theta) {
  const double fl = true_value(which, left), fr = true_value(which, right);
  if (!(fl * after <= 0 && fr * after >= 0) || (fl == 0 && fr == 0)) return false;
  while (right - left > resolution()) {
    const double middle = 0.5 * (left + right);
    if (middle <= left || middle >= right) break;
    const double f = true_value(which, middle);
    if (!std::isfinite(f)) return false;
    (f * after > 0 ? right : left) = middle;
  }
  theta = right;
  return true;
}

}  // namespace cartan::integrate
