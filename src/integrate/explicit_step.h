// What explicit methods share, whether they step in numbers or on a group: step lengths under error
// control, the first length, the polynomial of the dense output.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/lanes/lanes4.h"
#include "integrate/integrator.h"
#include "integrate/step_control.h"
#include "integrate/tableau.h"

namespace cartan::integrate {

// What the error of a quadrature (work) counts beside those of the motion, which it has no
// influence on: the balance of energy is kept to a hundred times the tolerance.
inline constexpr double work_share = 0.01;

inline bool all_finite(std::span<const double> x) {
  double sum = 0;
  for (double value : x)
    sum += value * 0.0;  // 0, or not a number as soon as one entry is not finite
  return sum == 0;
}

// result = h sum_j weights_j k_j at number i of n, and at those beside it.
template <class Number>
void combine_at(const std::vector<double>& weights, const double* k, double h, std::size_t n,
                std::size_t i, double* result) {
  Number sum{};
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    Number kj;
    __builtin_memcpy(&kj, k + j * n + i, sizeof kj);
    sum += weights[j] * kj;
  }
  sum *= h;
  __builtin_memcpy(result + i, &sum, sizeof sum);
}

// result = h sum_j weights_j k_j for stages of as many numbers as result has; four by four, so that
// sums stay in registers.
inline void combine_stages(const std::vector<double>& weights, const std::vector<double>& k,
                           double h, std::span<double> result) {
  const std::size_t n = result.size();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) combine_at<Lanes4>(weights, k.data(), h, n, i, result.data());
  for (; i < n; ++i) combine_at<double>(weights, k.data(), h, n, i, result.data());
}

// Tries lengths from t0 until the error is within the tolerance. `attempt(h, t1, error, worst)`
// takes a step to t1 and tells its error / tolerance; false: it is not finite. `by_rounding(h)`:
// the error that one unit of rounding makes in the state. An error that is rounding counts as none,
// for shorter steps would not have less of it.
template <class Attempt, class ByRounding>
StepReport step_with_control(StepController& controller, double t0, double t_end, double limit,
                             double max_step, long& rejected, Attempt&& attempt,
                             ByRounding&& by_rounding) {
  constexpr double units = 30;  // of rounding, in a dozen stages of long sums each
  // below this length t + c h no longer tells the stages apart
  const double smallest =
      16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t0), std::fabs(t_end));
  bool finite = true;
  double error = 0;
  int worst = -1;
  for (;;) {
    const double h = controller.next_length(std::min(limit, max_step), limit);
    if (!(h >= smallest || h >= limit))  // also when not a number
      return {finite ? StepStatus::step_too_small : StepStatus::not_finite, h, error, worst, 0};
    error = 0;
    finite = attempt(h, h == limit ? t_end : t0 + h, error, worst) && std::isfinite(error);
    if (finite && error <= 1) {
      controller.accepted(h, error);
      return {StepStatus::ok, h, error, worst, 0};
    }
    if (finite && controller.grows_slowly(h, error) && error <= units * by_rounding(h)) {
      controller.rounded(h, error);
      return {StepStatus::ok, h, error, worst, 0};
    }
    ++rejected;
    finite ? controller.rejected(h, error) : controller.refused(h);
  }
}

// A first length from the sizes (over the tolerance) of x, x' and x'' (one Euler step), after
// Hairer, Norsett, Wanner I, section II.4: h with a local Euler error of 1 % at the method's order.
// `curvature(h)` takes the Euler step and gives the size of the change of x' divided by h.
template <class Curvature>
double first_length(double size, double rate, double limit, double max_step, int error_order,
                    Curvature&& curvature) {
  const double h0 = std::min(size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate, limit);
  const double second = curvature(h0);
  if (!std::isfinite(second)) return 1e-3 * h0;
  const double larger = std::max(rate, second);
  const double h1 = larger <= 1e-15 ? std::max(1e-6, h0 * 1e-3)
                                    : std::pow(0.01 / larger, 1.0 / (error_order + 1));
  return std::min({100 * h0, h1, limit, max_step});
}

// The displacement inside a step: F0, F1, ... side by side (n numbers each), evaluated as
//   theta (F0 + (1 - theta) (F1 + theta (F2 + ...)))
// `whole`: displacement over the step; the slopes at its ends and the rows `d` of the tableau make
// the rest.
inline void fill_dense_shape(const ExplicitTableau& tableau, const std::vector<double>& k, double h,
                             std::span<const double> whole, std::vector<double>& shape) {
  const std::size_t n = whole.size();
  const double *first = k.data(), *last = first + tableau.stages * n;
  double *F0 = shape.data(), *F1 = F0 + n, *F2 = F1 + n;
  for (std::size_t i = 0; i < n; ++i) {
    const double k0 = h * first[i], k1 = h * last[i];
    F0[i] = whole[i];
    F1[i] = k0 - F0[i];
    F2[i] = 2 * F0[i] - (k0 + k1);
  }
  for (std::size_t r = 0; r < tableau.d.size(); ++r)
    combine_stages(tableau.d[r], k, h, {shape.data() + (3 + r) * n, n});
}

inline void evaluate_dense_shape(const std::vector<double>& shape, double theta,
                                 std::span<double> displacement) {
  if (displacement.empty()) return;
  const std::size_t n = displacement.size(), rows = shape.size() / n;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t r = rows; r-- > 0;)
      sum = (sum + shape[r * n + i]) * (r % 2 == 0 ? theta : 1 - theta);
    displacement[i] = sum;
  }
}

}  // namespace cartan::integrate
