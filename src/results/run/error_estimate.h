// How wrong the end of a run is, from a second, cheaper run.
//
// Fixed steps h of a method of order p: with the step k h the error is about k^p times as large, so
//   error ~ margin * |x_h - x_kh| / (k^p - 1),
// where the margin makes up for steps that are too long for the order to show. Methods with error
// control run again with a tolerance F times as large; their error follows the tolerance less than
// in proportion, and erratically:  error ~ |x_tol - x_Ftol| / (F^0.78 - 1). k and F are such that
// the second run takes about half the time of the first.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "integrate/simulate.h"
#include "results/run/places.h"

namespace cartan::results {

struct ErrorEstimate {
  std::optional<double> estimate;  // the measure of places.h; nothing where `how` says why not
  std::string how;
  long evaluations = 0;  // of the derivative: what the estimate took
};

// `path` and `end`: of the run that the options and the report belong to.
ErrorEstimate estimate_error(const System& system, const State& start,
                             const SimulateOptions& options, const SimulateReport& report,
                             const Path& path, const std::function<void(double)>& on_progress);

}  // namespace cartan::results
