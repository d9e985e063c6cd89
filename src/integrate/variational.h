// A variational integrator (`variational`): the discrete Euler-Lagrange equations of
//
//   L_d(q0, q1) = K_d(q0, q1) - h/2 (V(q0) + V(q1))
//
// on the configuration group (system/discrete_mechanics.h). With momenta p and node forces F, which
// are -dV/dq and all others,
//   -D1 K_d = p0 + h/2 F(q0, v0) + J0^T lambda,   g(q1) = 0
//   p1 = D2 K_d + h/2 F(q1, v1),   M v1 = p1 + J1^T mu,   J1 v1 = b
// Order two, symmetric; symplectic and momentum-preserving where the forces have a potential.
// See docs/integrators.md.
#pragma once

#include <memory>

#include "integrate/integrator.h"

namespace cartan::integrate {

std::unique_ptr<Integrator> make_variational_integrator(const System& system,
                                                        const IntegratorOptions& options);
// Why the method cannot take this system: "" or a sentence.
std::string refuse_variational(const System& system);

}  // namespace cartan::integrate
