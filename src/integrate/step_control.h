// Choice of the step length from the error of the last steps (a proportional-integral controller).
//
//   h_new = h * 0.9 * error^-(1/p - 0.75 beta) * error_before^beta,   error = estimate / tolerance
//
// p is the power of h in the error estimate; beta = 0 leaves the plain controller.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/folders.h"

namespace cartan::integrate {

class StepController {
 public:
  StepController(int power, double beta) : power_(std::max(power, 1)), beta_(beta) {}

  void restart() {
    h_ = 0;
    before_ = 1e-4;
    refused_ = false;
    failed_h_ = 0;
  }
  bool chosen() const { return h_ > 0; }
  void choose(double h) { h_ = h; }

  // The length to try: at most `cap`; what is left up to `limit` is not cut into a tiny rest.
  double next_length(double cap, double limit) const {
    double h = std::min(h_, cap);
    if (h >= limit * (1 - 1e-6) && cap >= limit) return limit;
    if (h > 0.5 * limit) h = 0.5 * limit;
    return h;
  }
  void accepted(double h, double error) {
    const double e = std::max(error, 1e-10);
    double factor = 0.9 * std::pow(e, -(1.0 / power_ - 0.75 * beta_)) * std::pow(before_, beta_);
    factor = std::clamp(factor, 0.2, refused_ ? 1.0 : 10.0);
    before_ = std::max(e, 1e-4);
    // a step cut short by the end of the run says little about the length that was possible
    h_ = h < 0.9 * h_ && factor >= 1 ? std::max(h_, h * factor) : h * factor;
    refused_ = false;
    failed_h_ = 0;
  }
  void rejected(double h, double error) {
    h_ = h * std::clamp(0.9 * std::pow(error, -1.0 / power_), 0.1, 0.9);
    refused_ = true;
    failed_h_ = h;
    failed_error_ = error;
  }
  // Whether the last two errors that were too large do not go with the length of their steps as
  // errors of the method do.
  bool grows_slowly(double h, double error) const {
    const double by_method = failed_error_ * std::pow(h / failed_h_, 0.5 * power_);
    return failed_h_ > 0 && (h < failed_h_ ? error > by_method : error < by_method);
  }
  // What the error tells of is rounding.
  void rounded(double h, double error) {
    h_ = 2 * h;
    before_ = 1;
    refused_ = false;
    failed_h_ = h;
    failed_error_ = error;
  }
  void refused(double h) {  // not finite
    h_ = 0.25 * h;
    refused_ = true;
  }

 private:
  int power_;
  double beta_;
  double h_ = 0;
  double before_ = 1e-4;
  bool refused_ = false;
  double failed_h_ = 0, failed_error_ = 0;  // the last error that was too large; 0: none since then
};

}  // namespace cartan::integrate
