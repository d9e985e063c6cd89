// Tree mechanisms with state (q, p[, work]): the System behind the formulation `canonical`
// (canonical.h has the equations).
#pragma once

#include "mechanics/machine/mechanism_system.h"

namespace cartan::mechanics {

// "" or why the model has no equations in momenta here, and what to use.
std::string refuse_canonical(const Model& model);

std::unique_ptr<MechanicalSystem> make_canonical_system(const Model& model,
                                                        std::vector<double> parameters);

}  // namespace cartan::mechanics
