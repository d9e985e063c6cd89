#include "integrate/accumulation.h"

#include <algorithm>
#include <cmath>

#include "integrate/epsilon.h"

namespace cartan::integrate {
namespace {

constexpr std::size_t least_impacts = 5;
constexpr std::size_t most_impacts = 48;  // remembered
constexpr int most_columns = 8;
constexpr double slowest = 0.9999;  // ratio of intervals
constexpr double slowed = 1e-2;     // speed of the last impact, of the first

}  // namespace

void AccumulationWatch::add(double t, std::span<const Impact> impacts) {
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const Impact& impact = impacts[i];
    if (impact.contact >= static_cast<int>(chains_.size())) continue;
    Chain& chain = chains_[impact.contact];
    if (!chain.times.empty() && chain.times.back() == t) continue;  // another place of the same
    const std::size_t n = chain.times.size();
    if (n >= 2 && !(t - chain.times[n - 1] < slowest * (chain.times[n - 1] - chain.times[n - 2]))) {
      chain.times.erase(chain.times.begin(), chain.times.end() - 1);
      chain.speeds.erase(chain.speeds.begin(), chain.speeds.end() - 1);
    }
    chain.times.push_back(t);
    chain.speeds.push_back(-impact.speed_before);
    const double ratio = -impact.speed_after / impact.speed_before;
    chain.ratio = ratio > 1e-6 ? ratio : 0;
    if (chain.times.size() > most_impacts) {
      // the first stays: it tells how long the whole has taken
      chain.times.erase(chain.times.begin() + 1);
      chain.speeds.erase(chain.speeds.begin() + 1);
    }
    chain.known = false;
    if (chain.times.size() >= least_impacts) extrapolate(chain);
  }
}

void AccumulationWatch::extrapolate(Chain& chain) const {
  // without the first where impacts have been forgotten behind it
  const std::size_t skip = chain.times.size() == most_impacts ? 1 : 0;
  std::vector<double> column(chain.times.begin() + static_cast<long>(skip), chain.times.end());
  const std::vector<double>& s = chain.speeds;
  const std::size_t n = s.size();
  double r = chain.ratio;
  if (!(r > 0)) {  // what bounces otherwise: ratios of speeds approach r, until rounding shows
    double steadiest = INFINITY;
    for (std::size_t k = skip + 2; k < n; ++k) {
      const double a = s[k - 1] / s[k - 2], b = s[k] / s[k - 1];
      if (std::fabs(b - a) < steadiest) steadiest = std::fabs(b - a), r = b;
    }
  }
  if (!(r > 0 && r < slowest)) return;
  chain.error = INFINITY;
  double power = 1;
  for (int m = 1; m <= most_columns && column.size() >= 2; ++m) {
    power *= r;
    std::vector<double> next(column.size() - 1);
    for (std::size_t k = 0; k + 1 < column.size(); ++k)
      next[k] = column[k + 1] + power / (1 - power) * (column[k + 1] - column[k]);
    for (std::size_t k = 1; k < next.size(); ++k) {
      // times of slow impacts are less sharp: rounding of positions, over the speed
      const double slowest_speed = s[skip + k + static_cast<std::size_t>(m)];
      const double rounding =
          double_epsilon * (std::fabs(next[k]) + 1 / std::max(slowest_speed, 1e-300));
      const double error = rounding + std::max(std::fabs(next[k] - next[k - 1]),
                                               m > 1 ? std::fabs(next[k] - column[k + 1]) : 0);
      if (error <= chain.error) chain.error = error, chain.limit = next[k];
    }
    column = std::move(next);
  }
  chain.known = std::isfinite(chain.error) && chain.limit >= chain.times.back();
}

bool AccumulationWatch::is_near(const Chain& chain, double t) const {
  // speeds shrink with what is left of the time
  if (!chain.known || !(chain.speeds.back() < slowed * chain.speeds.front())) return false;
  const double left = chain.limit - t, whole = chain.limit - chain.times.front();
  const double resolved = 1e3 * double_epsilon * std::max(1.0, std::fabs(t));
  return (left < near_ * whole && chain.error < 0.1 * left + resolved) || left < resolved;
}

std::span<const int> AccumulationWatch::find_limit(double t, double& limit) {
  found_.clear();
  double spread = 0;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const Chain& chain = chains_[c];
    if (chain.times.empty() || chain.times.back() != t || !is_near(chain, t)) continue;
    found_.push_back(static_cast<int>(c));
    limit = chain.limit;
    spread = chain.limit - chain.times[chain.times.size() - 2];
    break;
  }
  if (found_.empty()) return found_;
  // others that come to the same end with it
  for (std::size_t c = 0; c < chains_.size(); ++c)
    if (static_cast<int>(c) != found_[0] && chains_[c].known &&
        std::fabs(chains_[c].limit - limit) < 0.1 * spread)
      found_.push_back(static_cast<int>(c));
  return found_;
}

void AccumulationWatch::forget(std::span<const int> contacts) {
  for (int c : contacts) chains_[c] = {};
}

}  // namespace cartan::integrate
