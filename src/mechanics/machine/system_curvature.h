// Second and third derivatives of any System in joint coordinates or of [variables].
#pragma once

#include <memory>
#include <vector>

#include "model/model.h"
#include "system/state_curvature.h"

namespace cartan::mechanics {

// For a system made of a model with these values; `which` are the parameters that may move,
// `functions` the formulas of StateCurvature::function. The system's model must outlive it.
std::unique_ptr<StateCurvature> make_state_curvature(const System& system,
                                                     std::vector<double> parameters,
                                                     std::vector<int> which,
                                                     std::vector<Formula> functions = {});

}  // namespace cartan::mechanics
