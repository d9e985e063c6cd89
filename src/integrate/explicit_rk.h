// Explicit Runge-Kutta methods from a tableau: fixed steps, or error control where the tableau has
// an error estimate. After every step unit quaternions are brought back to length one.
#pragma once

#include <memory>

#include "integrate/integrator.h"
#include "integrate/tableau.h"

namespace cartan::integrate {

// The tableau must outlive the integrator.
std::unique_ptr<Integrator> make_explicit_integrator(const System& system,
                                                     const ExplicitTableau& tableau,
                                                     const IntegratorOptions& options);

}  // namespace cartan::integrate
