// When an iteration is over: judges the sequence of its changes (largest relative change of a
// stage).
//
//   converged   below tolerance
//   stagnated   no longer falling, within 100 machine epsilons: counts as converged
//   noisy       no longer falling for several sweeps at a level above that, but far below anything
//               that matters: the rounding of the derivative itself. Counts as converged, is told.
//   diverged    grows, or is not a number
#pragma once

#include <cmath>
#include <limits>

#include "core/folders.h"

namespace cartan::integrate {

class IterationWatch {
 public:
  enum class Verdict { go_on, converged, stagnated, noisy, diverged };
  static constexpr double stagnation_band = 100 * std::numeric_limits<double>::epsilon();
  static constexpr double noise_band = 1e-10;

  explicit IterationWatch(double tolerance) : tolerance_(tolerance) {}

  Verdict judge(double change) {
    if (!std::isfinite(change) || change > 1e10) return Verdict::diverged;
    before2_ = before_;
    before_ = last_;
    last_ = change;
    ++sweeps_;
    if (change <= tolerance_) return Verdict::converged;
    if (change >= before_ && change <= stagnation_band) return Verdict::stagnated;
    if (change < least_) {
      least_ = change;
      since_least_ = falls_ = growing_ = 0;
      return Verdict::go_on;
    }
    ++since_least_;
    growing_ = change >= before_ ? growing_ + 1 : 0;
    falls_ += change < before_;
    if (at_noise()) return since_least_ >= 4 && falls_ > 0 ? Verdict::noisy : Verdict::go_on;
    return growing_ >= 3 ? Verdict::diverged : Verdict::go_on;
  }

  // How many sweeps are left at the rate of the last two changes; a Jacobian of the point at hand
  // needs two or three.
  double sweeps_left() const {
    const double goal = std::fmax(tolerance_, 4 * std::numeric_limits<double>::epsilon());
    if (!(rate() < 1)) return infinity;
    return last_ > goal ? std::log(goal / last_) / std::log(rate()) : 0;
  }
  // Factor per sweep over the last one or two.
  double rate() const { return last_ / before_; }
  double mean_rate() const { return std::sqrt(last_ / before2_); }
  int sweeps() const { return sweeps_; }
  // Near the smallest change so far, and that is small: rounding may have the say.
  bool at_noise() const { return since_least_ > 0 && least_ <= noise_band && last_ <= 8 * least_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double tolerance_;
  double last_ = infinity, before_ = infinity, before2_ = infinity, least_ = infinity;
  int sweeps_ = 0;
  int since_least_ = 0;  // sweeps since the smallest change
  int falls_ = 0;        // of these, how many fell
  int growing_ = 0;      // sweeps in a row that did not fall
};

}  // namespace cartan::integrate
