// Explicit Runge-Kutta methods of Munthe-Kaas: the tableau acts on displacements d from the start
// of the step, the motion is x = x0 (+) d with d' = dexp^-1_{-d} xi, exactly.
//
//   d_i = h sum_{j<i} a_ij k_j    x_i = x0 (+) d_i    k_i = dexp^-1_{-d_i} xi(t + c_i h, x_i)
//   x1 = x0 (+) h sum b_i k_i
//
// The order is that of the tableau. Every stage and every new state is on the manifold: nothing is
// normalised. On a space of vectors alone this is the classical method.
#pragma once

#include <memory>

#include "integrate/integrator.h"
#include "integrate/tableau.h"

namespace cartan::integrate {

// Fixed steps, or error control where the tableau has one error estimate. The tableau must outlive
// the integrator.
std::unique_ptr<Integrator> make_munthe_kaas_integrator(const System& system,
                                                        const ExplicitTableau& tableau,
                                                        const IntegratorOptions& options);

}  // namespace cartan::integrate
