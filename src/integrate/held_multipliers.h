// Multipliers held over the step, the scheme of source 001: they are found at its beginning, then
// x' = f(t, x, lambda) is integrated over the step with classical Runge-Kutta. Of first order,
// because lambda is; constraints are kept to that order only.
#pragma once

#include <memory>
#include <string>

#include "integrate/integrator.h"

namespace cartan::integrate {

// For systems that have held_multipliers().
std::unique_ptr<Integrator> make_held_integrator(const System& system,
                                                 const IntegratorOptions& options);
std::string refuse_held_integrator(const System& system);

}  // namespace cartan::integrate
