// Generalised-alpha on the group, index 3 (Chung and Hulbert's method; Arnold, Bruels and Cardona
// for groups and constraints), for systems with a SecondOrderForm.
//
//   q1 = q0 (+) d,    d  = h v0 + h^2 ((1/2 - beta) a0 + beta a1)
//                     v1 = v0 + h ((1 - gamma) a0 + gamma a1)
//   (1 - am) a1 + am a0 = (1 - af) w1 + af w0          w = v', a: the method's own memory
//   R_dyn(t1, q1, v1, w1, lambda1) = 0,   g(t1, q1) = 0,   y(t1, q1, v1) = 0
//   then v1 and w1 to g' = 0 and g'' = 0 with the smallest change
//
//   am = (2 rho - 1) / (rho + 1),  af = rho / (rho + 1),  gamma = 1/2 - am + af,
//   beta = (gamma + 1/2)^2 / 4
//
// rho in [0, 1] is the factor per step that is left of motions much faster than the step: 1 none
// lost, 0 all gone after a step. Second order in q, v, w and lambda from the first step on: see
// generalized_alpha.cpp for the start.
#pragma once

#include <memory>

#include "integrate/integrator.h"

namespace cartan::integrate {

class GeneralizedAlphaIntegrator : public Integrator {
 public:
  using Integrator::Integrator;
  // At the end of the last step: v' and the multipliers of the form.
  virtual std::span<const double> accelerations() const = 0;
  virtual std::span<const double> multipliers() const = 0;
};

// The system must have a second_order().
std::unique_ptr<GeneralizedAlphaIntegrator> make_generalized_alpha(
    const System& system, const IntegratorOptions& options);

// "" or why not.
std::string refuse_generalized_alpha(const System& system);

}  // namespace cartan::integrate
