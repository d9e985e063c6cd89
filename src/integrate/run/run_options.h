// What is wrong with the options of a run, and what of them an integrator wants to know.
#pragma once

#include "integrate/simulate.h"

namespace cartan::integrate {

// One sentence on what is wrong, or nothing.
std::string check_options(const SimulateOptions& options, const System& system, const State& start);

IntegratorOptions integrator_options(const IntegratorInfo& info, const SimulateOptions& options);

}  // namespace cartan::integrate
