// Two methods of the SUNDIALS library, for stiff systems and for those who trust them:
//
//   cvode   x' = f(t, x)          backward differentiation of order 1 to 5, steps and order
//   ida     F(t, x, x') = x' - f  chosen by the library; Newton's iteration, exact Jacobian
//
// They run on the embedded numbers; unit quaternions are brought back to length one after each
// step. Events, samples and projection are ours, on the library's dense output. Nothing of SUNDIALS
// is seen outside sundials.cpp. Where the library is not installed, sundials_missing.cpp stands in:
// both methods are then refused with a sentence.
#pragma once

#include <memory>
#include <string>

#include "integrate/integrator.h"

namespace cartan::integrate {

inline constexpr double default_sundials_tolerance = 1e-8;

std::unique_ptr<Integrator> make_cvode_integrator(const System& system,
                                                  const IntegratorOptions& options);
std::unique_ptr<Integrator> make_ida_integrator(const System& system,
                                                const IntegratorOptions& options);

// "" where the library is built in.
std::string refuse_sundials(const System& system);

}  // namespace cartan::integrate
