// Colours of charts, and lines reduced to what can be seen.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/folders.h"

namespace cartan::report {

// The colour of a line by its number.
const char* line_colour(int number);

// Colours of a map, from dark blue to yellow with evenly rising lightness: readable in grey as
// well.
constexpr int map_levels = 32;
std::string map_colour(int level);

using PixelPoints = std::vector<std::pair<double, double>>;  // x to the right, y down; NaN: a gap

// A line of many points in one of few that looks the same. `rising`: x never goes back and there
// are no gaps; then of each column of pixels the first, lowest, highest and last points are kept.
PixelPoints thin_points(PixelPoints all, bool rising);

}  // namespace cartan::report
