// How wrong the end of a run is, from a second, cheaper run.
//
// Fixed steps h of a method of order p: with the step k h the error is about k^p times as large, so
//   error ~ margin * |x_h - x_kh| / (k^p - 1)
// and the same for methods with error control with a tolerance that is F times as large, where the
// error follows the tolerance. The margin makes up for steps that are too long for the order to
// show. k and F are such that the second run takes about half the time of the first.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/places.h"
#include "integrate/simulate.h"

namespace cartan {

struct ErrorEstimate {
  std::optional<double> estimate;  // the measure of places.h; nothing where `how` says why not
  std::string how;
};

// `path` and `end`: of the run that the options and the report belong to.
ErrorEstimate estimate_error(const System& system, const State& start,
                             const SimulateOptions& options, const SimulateReport& report,
                             const Path& path, const std::function<void(double)>& on_progress);

}  // namespace cartan
