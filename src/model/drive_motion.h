// Prescribed motions must be smooth enough for finite forces: finite, with positions and rates that
// do not jump.
#pragma once

#include <span>
#include <string>

#include "model/model.h"

namespace cartan::model {

// Looks at every drive between two times, with jumps of position and rate located by bisection
// between 400 samples. "" or a sentence on the first that jumps or, where `finite` is asked for, is
// no finite number together with its rate and acceleration; then `where` is the drive's place.
std::string find_rough_drive(const Model& model, std::span<const double> parameters, double from,
                             double to, bool finite, Location& where);

}  // namespace cartan::model
