// The option --stabilisation: how constraints are kept during a run.
#pragma once

#include <string>

#include "integrate/simulate.h"

namespace cartan::results {

// Refuses a name that is not known.
void check_stabilisation(const std::string& command, const std::string& name);

// Projection after every step; none: the drift shows, that of unit quaternions under explicit
// methods too; Baumgarte's feedback in the equations, which settles violations within some ten
// steps.
void stabilise(const std::string& how, System& system, SimulateOptions& options);

// The option --rows: the axes in which gaps of joints are differentiated, "" for the default.
// Refuses a name that is not known, a formulation that has no choice.
void check_row_axes(const std::string& command, const std::string& name);
void choose_row_axes(const std::string& command, const std::string& name, System& system);

}  // namespace cartan::results
