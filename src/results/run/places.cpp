#include "results/run/places.h"

#include <algorithm>
#include <cmath>

#include "mechanics/variables/variables.h"

namespace cartan::results {
namespace {

constexpr std::size_t most_places = 512;
// Motions that are this part of their size apart have nothing to do with each other.
constexpr double apart = 0.1;
constexpr double late_part = 0.1;  // of the time
// Errors that pile up grow with a small power of time, at most 2^3 while the time doubles.
constexpr double piling_up = 100;

double rotation_angle(const Quat<double>& a, const Quat<double>& b) {
  const Quat<double> turn = conjugate(a) * b;
  return 2 * std::atan2(norm(turn.vector()), std::fabs(turn.w));
}

bool same_time(double a, double b, double span) {
  return std::fabs(a - b) <= 1e-9 * span;
}

}  // namespace

double distance(const Place& a, const Place& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.bodies.size(); ++i)
    largest = std::max({largest, norm(a.bodies[i].position - b.bodies[i].position),
                        rotation_angle(a.bodies[i].orientation, b.bodies[i].orientation)});
  for (std::size_t i = 0; i < a.variables.size(); ++i)
    largest = std::max(largest, std::fabs(a.variables[i] - b.variables[i]));
  return largest;
}

PlaceReader::PlaceReader(const System& system)
    : system_(system), workspace_(system.make_workspace()) {}

Place PlaceReader::operator()(StateView at) {
  Place place;
  place.t = at.t;
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system_)) {
    mechanism->observe(at, now_, *workspace_);
    place.bodies = now_.bodies;
    place.variables = now_.variables;
  } else if (const auto* plain = dynamic_cast<const VariablesSystem*>(&system_)) {
    place.variables.assign(at.x.begin(), at.x.begin() + plain->model().variables.size());
  }
  return place;
}

void Path::add(Place place) {
  places_.push_back(std::move(place));
  if (places_.size() < most_places) return;
  for (std::size_t k = 1; 2 * k < places_.size(); ++k) places_[k] = std::move(places_[2 * k]);
  places_.resize((places_.size() + 1) / 2);
  stride_ *= 2;
}

SeparationWatch::SeparationWatch(const std::vector<Place>& first) : first_(first) {
  if (first.empty()) return;
  begin_ = end_ = first.front().t;
  span_ = first.back().t - begin_;
  for (const Place& place : first) size_ = std::max(size_, distance(place, first.front()));
  limit_ = apart * size_;
}

bool SeparationWatch::wants(double t) {
  if (first_.empty()) return false;
  while (next_ + 1 < first_.size() && first_[next_].t < t && !same_time(first_[next_].t, t, span_))
    ++next_;
  return same_time(first_[next_].t, t, span_);
}

void SeparationWatch::add(const Place& place) {
  end_ = place.t;
  if (!wants(place.t)) return;
  const double d = distance(first_[next_], place);
  const bool far = d > limit_;
  if (far && !lost_) lost_ = place.t;
  since_ += lost_.has_value();
  far_ += far;
  apart_.push_back({place.t, d, apart_.empty() ? d : std::max(d, apart_.back().largest)});
}

// Whether they were much closer at half the time.
bool SeparationWatch::is_exponential(double lost) const {
  double before = 0;
  for (const Apart& at : apart_)
    if (at.t <= begin_ + 0.5 * (lost - begin_)) before = at.largest;
  return limit_ > piling_up * before;
}

bool SeparationWatch::is_chaotic() const {
  if (!(size_ > 0) || !lost_ || end_ - *lost_ < late_part * span_) return false;
  return 2 * far_ > since_ && is_exponential(*lost_);
}

Separation SeparationWatch::result(const Place& last) const {
  Separation result;
  if (first_.empty()) return result;
  result.size = size_;
  result.at_end = result.late = distance(first_.back(), last);
  for (const Apart& at : apart_)
    if (at.t >= end_ - late_part * span_) result.late = std::max(result.late, at.distance);
  if (!(result.late > limit_) || !(size_ > 0)) return result;
  result.lost = lost_.value_or(end_);
  result.exponential = is_exponential(*result.lost);
  return result;
}

Separation compare_paths(const std::vector<Place>& a, const std::vector<Place>& b) {
  if (b.empty()) return {};
  SeparationWatch watch(a);
  for (const Place& place : b) watch.add(place);
  return watch.result(b.back());
}

}  // namespace cartan::results
