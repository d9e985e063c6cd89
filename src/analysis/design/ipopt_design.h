// The problems of optimisation.h solved by Ipopt, which collects curvature from its steps.
#pragma once

#include "analysis/design/optimisation.h"

namespace cartan::analysis {

DesignResult minimise_by_ipopt(const DesignProblem& problem, const DesignOptions& options);

}  // namespace cartan::analysis
