// Numbers of a run that no machine has: what the check of a model says about its file, asked again
// where masses and inertias vary.
#pragma once

#include <span>
#include <string>

#include "model/model.h"

namespace cartan::study {

// "" or a sentence about the first body whose mass is negative or whose inertia is none.
std::string find_bad_mass(const Model& model, std::span<const double> parameters);

}  // namespace cartan::study
