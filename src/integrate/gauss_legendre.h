// Gauss-Legendre collocation gl1 .. gl8: s stages, order 2s, symmetric, symplectic.
//
//   Z_i = x + h sum_j a_ij K_j,   K_i = f(t + c_i h, Z_i),   x1 = x + h sum_i b_i K_i
//
// x are embedded numbers; what is quadratic and invariant for f (the length of a unit quaternion,
// the energy of a free body) is invariant for the method: nothing is ever normalised. See
// docs/integrators.md for how the stages are solved.
#pragma once

#include <memory>

#include "integrate/integrator.h"

namespace cartan::integrate {

// Stages to rounding: about five machine epsilons of change.
inline constexpr double default_stage_tolerance = 1e-15;

std::unique_ptr<Integrator> make_gauss_legendre_integrator(const System& system, int stages,
                                                           const IntegratorOptions& options);

}  // namespace cartan::integrate
