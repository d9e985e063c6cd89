// Runs of explicit Runge-Kutta steps, differentiated backwards: the exact gradient of what was
// computed, at a cost that does not grow with the number of parameters.
//
// A step is  X_i = x + h sum_{j<i} a_ij k_j,  k_i = f(t + c_i h, X_i; p),  x1 = x + h sum b_i k_i.
// With the gradient w of some function of x1, from the last stage to the first:
//   l_i = h b_i w + h sum_{j>i} a_ji g_j,   g_i = l_i^T df/dx(X_i),   by_p += l_i^T df/dp(X_i)
//   gradient before the step: w + sum g_i
// The stages of a stretch of steps are kept; of longer runs the states where stretches begin, and
// the stages are computed again.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "integrate/tableau.h"

namespace cartan::analysis {

// x' = f(t, x; p), and how it is differentiated backwards.
class RateFunctions {
 public:
  virtual ~RateFunctions() = default;
  virtual void rates(double t, std::span<const double> x, std::span<double> xdot) = 0;
  // by_x = w^T df/dx, by_p += w^T df/dp
  virtual void back(double t, std::span<const double> x, std::span<const double> w,
                    std::span<double> by_x, std::span<double> by_p) = 0;
};

struct StepPlan {
  double t = 0, step = 0;
  std::size_t steps = 0;
  const ExplicitTableau* tableau = nullptr;
  const std::atomic<bool>* stop_requested = nullptr;
  std::size_t kept_numbers = std::size_t{1} << 23;  // of stages, at most
};

// x becomes the state after the steps; false: stopped.
bool take_steps(RateFunctions& f, const StepPlan& plan, std::span<double> x);

// w, the gradient by the last state, becomes that by x; by_p is added to. False: stopped.
bool differentiate_steps(RateFunctions& f, const StepPlan& plan, std::span<const double> x,
                         std::span<double> w, std::span<double> by_p);

}  // namespace cartan::analysis
