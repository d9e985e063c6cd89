// Second derivatives of the rates of a [variables] file.
#pragma once

#include <memory>
#include <vector>

#include "model/model.h"
#include "system/state_curvature.h"

namespace cartan::mechanics {

// For states of make_variables_system with the same model (which must outlive this) and values.
std::unique_ptr<StateCurvature> make_variables_curvature(const Model& model,
                                                         std::vector<double> parameters,
                                                         std::vector<int> which,
                                                         std::vector<Formula> functions = {});

}  // namespace cartan::mechanics
