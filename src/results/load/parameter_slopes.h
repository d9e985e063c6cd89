// Whether a model can be differentiated by its parameters: functions of the user may lack what that
// takes.
#pragma once

#include <span>
#include <string>

#include "model/model.h"
#include "system/system.h"

namespace cartan::results {

// A sentence with its remedy, or "".
std::string refuse_parameter_slopes(const Model& model, const System& system,
                                    std::span<const int> which);

}  // namespace cartan::results
