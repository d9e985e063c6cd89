#include "results/run/places.h"

#include <algorithm>
#include <cmath>

#include "mechanics/variables/variables.h"

namespace cartan::results {
namespace {

constexpr std::size_t most_places = 512;
// Motions that are this part of their size apart have nothing to do with each other.
constexpr double apart = 0.1;
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

Separation compare_paths(const std::vector<Place>& a, const std::vector<Place>& b) {
  Separation result;
  if (a.empty() || b.empty()) return result;
  const double begin = a.front().t, span = a.back().t - begin;
  std::vector<std::pair<double, double>> apart_so_far;  // time, largest distance until then
  double largest = 0;
  for (std::size_t i = 0, j = 0; i < a.size(); ++i) {
    result.size = std::max(result.size, distance(a[i], a.front()));
    while (j + 1 < b.size() && b[j].t < a[i].t && !same_time(b[j].t, a[i].t, span)) ++j;
    if (!same_time(b[j].t, a[i].t, span)) continue;
    const double d = distance(a[i], b[j]);
    largest = std::max(largest, d);
    if (a[i].t >= begin + 0.9 * span) result.late = std::max(result.late, d);
    apart_so_far.emplace_back(a[i].t, largest);
  }
  result.at_end = distance(a.back(), b.back());
  result.late = std::max(result.late, result.at_end);
  const double limit = apart * result.size;
  if (!(result.late > limit) || !(result.size > 0)) return result;
  for (const auto& [t, d] : apart_so_far)
    if (d > limit) {
      result.lost = t;
      break;
    }
  if (!result.lost) result.lost = a.back().t;
  double before = 0;  // at half that time
  for (const auto& [t, d] : apart_so_far)
    if (t <= begin + 0.5 * (*result.lost - begin)) before = d;
  result.exponential = limit > piling_up * before;
  return result;
}

}  // namespace cartan::results
