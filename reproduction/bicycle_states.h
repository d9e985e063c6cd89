// States of the bicycle (examples/bicycle.toml) that turn with constant lean and steer.
#pragma once

#include <string>
#include <vector>

#include "report/chart.h"

namespace cartan::reproduction {

// For every cell of a map of lean (across) and steer (upwards): log10 of the norm of all joint
// accelerations when the bicycle rolls with that lean and steer, held for an instant, and the front
// wheel's speed R2 u5. NaN where the wheels cannot both stand on the ground.
std::vector<double> residual_map(const std::string& model_file, double speed, const ChartMap& map);

}  // namespace cartan::reproduction
