// Where the equations of a [variables] file do not determine the rates.
#pragma once

#include <span>
#include <string>

#include "model/model.h"

namespace cartan::mechanics {

// A sentence about the first block that is singular to rounding, or nearly so; "" where none is.
// form: the values of ImplicitRates::form at time t.
std::string explain_singular_rates(const Model& model, double t, std::span<const double> form);

}  // namespace cartan::mechanics
