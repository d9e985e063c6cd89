#include "study/kept_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanics/machine/state_expression.h"

namespace cartan::study {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

bool is_extreme(KeepKind kind) {
  return kind == KeepKind::max || kind == KeepKind::min;
}
bool is_integral(KeepKind kind) {
  return kind == KeepKind::mean || kind == KeepKind::rms || kind == KeepKind::integral;
}

}  // namespace

KeptValues::KeptValues(const Study& study) : study_(study), tracks_(study.kept.size()) {
  for (const KeptQuantity& kept : study.kept) {
    wants_ends_ |= is_extreme(kept.kind) || is_integral(kept.kind);
    wants_steps_ |= wants_ends_ || kept.kind == KeepKind::at;
    wants_events_ |= kept.event >= 0;
  }
}

void KeptValues::use(const System& system) {
  system_ = &system;
  observed_ = nullptr;
  workspace_ = system.make_workspace();
  x_.resize(static_cast<std::size_t>(system.space().size()));
  functions_.clear();
  for (const KeptQuantity& kept : study_.kept) {
    functions_.push_back(
        kept.output < 0 ? nullptr
                        : make_state_function(system, study_.model->outputs[kept.output].value));
    // Formulations whose state is not (q, v) tell outputs only.
    if (kept.output >= 0 && !functions_.back())
      observed_ = dynamic_cast<const MechanicalSystem*>(&system);
  }
}

double KeptValues::value(std::size_t k, StateView at) {
  if (functions_[k]) return functions_[k]->value(at, *workspace_);
  if (!observed_) return nan_value;
  observed_->observe(at, observation_, *workspace_);
  return observation_.outputs[static_cast<std::size_t>(study_.kept[k].output)];
}

double KeptValues::inside(std::size_t k, const DenseStep& step, double t) {
  return step.at(t, x_) ? value(k, {t, x_, step.mode()}) : nan_value;
}

void KeptValues::begin(const State& start) {
  t_begin_ = start.t;
  jumped_ = false;
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    const KeptQuantity& kept = study_.kept[k];
    Track& track = tracks_[k] = Track();
    const bool ends = is_extreme(kept.kind) || is_integral(kept.kind);
    const bool now = kept.kind == KeepKind::at && kept.time <= start.t;
    if (!ends && !now) continue;
    track.last = track.best = value(k, start);
    track.undefined = !std::isfinite(track.last);
    track.taken = now;
  }
}

void KeptValues::take_step(const DenseStep& step) {
  if (!(step.end() > step.begin())) return;
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    const KeptQuantity& kept = study_.kept[k];
    Track& track = tracks_[k];
    if (kept.kind == KeepKind::at) {
      if (!track.taken && kept.time <= step.end()) {
        track.last = inside(k, step, kept.time);
        track.taken = true;
      }
      continue;
    }
    const bool extreme = is_extreme(kept.kind), integral = is_integral(kept.kind);
    if (!extreme && !integral) continue;
    if (jumped_) {
      track.last = inside(k, step, step.begin());
      track.gap = 0;
    }
    const double end_value = inside(k, step, step.end());
    if (extreme)
      take_extreme(k, step, end_value);
    else
      integrate(k, step, end_value);
    track.before = track.last;
    track.last = end_value;
    track.gap = step.end() - step.begin();
    track.undefined |= !std::isfinite(end_value);
  }
  jumped_ = step.is_cut();
}

// A parabola through three ends of steps exceeds the higher of the last two by at most an eighth of
// their second difference: where twice that difference stays below the extreme so far, nothing
// inside of the step can pass it.
void KeptValues::take_extreme(std::size_t k, const DenseStep& step, double end_value) {
  Track& track = tracks_[k];
  const double sign = study_.kept[k].kind == KeepKind::max ? 1 : -1;
  const auto above = [&](double a, double b) { return sign * a > sign * b; };
  const double t0 = step.begin(), h = step.end() - t0;
  if (above(track.last, track.best)) track.best = track.last;  // after a jump
  const double higher = above(end_value, track.last) ? end_value : track.last;
  if (track.gap > 0) {
    const double bend =
        std::fabs((end_value - track.last) / h - (track.last - track.before) / track.gap) * h;
    if (!above(higher + sign * 2 * bend, track.best)) return;
  }
  if (above(higher, track.best)) track.best = higher;
  double g[5] = {track.last, 0, 0, 0, end_value};
  int top = 0;
  for (int i = 1; i < 4; ++i) g[i] = inside(k, step, t0 + 0.25 * i * h);
  for (int i = 1; i < 5; ++i) {
    track.undefined |= !std::isfinite(g[i]);
    if (above(g[i], g[top])) top = i;
  }
  // The highest at an end: a peak beside it shows in the parabola through it and its neighbours.
  if (top == 0 && !(sign * (-3 * g[0] + 4 * g[1] - g[2]) > 0)) return;
  if (top == 4 && !(sign * (-3 * g[4] + 4 * g[3] - g[2]) > 0)) return;
  const double left = t0 + 0.25 * std::max(0, top - 1) * h;
  const double right = top >= 3 ? step.end() : t0 + 0.25 * (top + 1) * h;
  const double peak = locate(k, step, left, right, sign);
  if (above(peak, track.best)) track.best = peak;
}

// Brent's search: parabolas through the three best points, golden sections where they fail.
double KeptValues::locate(std::size_t k, const DenseStep& step, double left, double right,
                          double sign) {
  constexpr double golden = 0.3819660112501051;
  constexpr int most = 60;
  double a = left, b = right, x = a + golden * (b - a), w = x, v = x;
  double fx = sign * inside(k, step, x), fw = fx, fv = fx, moved = 0, last = 0;
  for (int n = 0; n < most; ++n) {
    const double middle = 0.5 * (a + b), tolerance = 1e-9 * (right - left);
    if (std::fabs(x - middle) + 0.5 * (b - a) <= 2 * tolerance || !std::isfinite(fx)) break;
    bool parabola = false;
    if (std::fabs(last) > tolerance) {
      const double r = (x - w) * (fx - fv), q0 = (x - v) * (fx - fw);
      double p = (x - v) * q0 - (x - w) * r, q = 2 * (q0 - r);
      if (q > 0) p = -p;
      q = std::fabs(q);
      if (std::fabs(p) < std::fabs(0.5 * q * last) && p > q * (a - x) && p < q * (b - x)) {
        last = moved;
        moved = p / q;
        parabola = true;
      }
    }
    if (!parabola) {
      last = x < middle ? b - x : a - x;
      moved = golden * last;
    }
    const double u = x + (std::fabs(moved) >= tolerance ? moved : std::copysign(tolerance, moved));
    const double fu = sign * inside(k, step, u);
    if (fu >= fx) {
      (u < x ? b : a) = x;
      v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
    } else {
      (u < x ? a : b) = u;
      if (fu >= fw || w == x)
        v = w, fv = fw, w = u, fw = fu;
      else if (fu >= fv || v == x || v == w)
        v = u, fv = fu;
    }
  }
  return sign * fx;
}

void KeptValues::integrate(std::size_t k, const DenseStep& step, double end_value) {
  static constexpr double place[] = {0.17267316464601142810, 0.5, 0.82732683535398857190};
  static constexpr double weight[] = {49.0 / 180, 16.0 / 45, 49.0 / 180};
  Track& track = tracks_[k];
  const bool squared = study_.kept[k].kind == KeepKind::rms;
  const auto power = [&](double g) { return squared ? g * g : g; };
  const double h = step.end() - step.begin();
  double mean = (power(track.last) + power(end_value)) / 20;
  for (int i = 0; i < 3; ++i)
    mean += weight[i] * power(inside(k, step, step.begin() + place[i] * h));
  const double part = h * mean - track.carry, sum = track.sum + part;
  track.carry = (sum - track.sum) - part;
  track.sum = sum;
}

void KeptValues::take_event(const EventRecord& event) {
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    const KeptQuantity& kept = study_.kept[k];
    if (kept.event != event.index) continue;
    Track& track = tracks_[k];
    if (kept.kind == KeepKind::count) {
      track.sum += 1;
    } else if (!track.taken) {
      track.taken = true;
      track.last = value(k, event.state);
    }
  }
}

void KeptValues::finish(const State& end, std::span<double> row) {
  const double length = end.t - t_begin_;
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    const Track& track = tracks_[k];
    double result = nan_value;
    switch (study_.kept[k].kind) {
      case KeepKind::final:
        result = value(k, end);
        break;
      case KeepKind::max:
      case KeepKind::min:
        result = track.undefined ? nan_value : track.best;
        break;
      case KeepKind::mean:
        result = track.undefined ? nan_value : length > 0 ? track.sum / length : track.last;
        break;
      case KeepKind::rms:
        result = track.undefined ? nan_value
                 : length > 0    ? std::sqrt(std::max(0.0, track.sum / length))
                                 : std::fabs(track.last);
        break;
      case KeepKind::integral:
        result = track.undefined ? nan_value : track.sum;
        break;
      case KeepKind::at:
      case KeepKind::event:
        if (track.taken) result = track.last;
        break;
      case KeepKind::count:
        result = track.sum;
        break;
    }
    row[k] = std::isfinite(result) ? result : nan_value;
  }
}

}  // namespace cartan::study
