// How wrong the end of a run is, from a second, cheaper run.
//
// Steps h of a method of order p, all k times as long: the error is about k^p times as large, so
//   error ~ |x_h - x_kh| / (k^p - 1).
// Fixed steps are k h; a margin makes up for steps that are too long for the order to show. Methods
// with error control take the steps that the first run has chosen k at a time, up to every change
// of the motion (a contact, a switch), and StepMesh says what becomes of k^p where steps differ in
// length: with a looser tolerance they would choose others, whose error goes with no power of the
// tolerance that could be relied on. Only multistep methods, which choose their order too, run
// again with a tolerance F times as large:
//   error ~ |x_tol - x_Ftol| / (F^0.78 - 1).
// Where tables or switches that steps do not stop at keep a method from its order, p is theirs. k
// and F are such that the second run takes about half the time of the first.
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

// What is known of the run whose error is asked for.
struct FirstRun {
  const SimulateOptions& options;
  const SimulateReport& report;
  const StepMesh& mesh;
  const Path& path;
  std::optional<int> order_limit;  // of the model
};

// The order beyond which no method gets in this model, for tables and switches that steps do not
// stop at: where derivative k of the accelerations jumps, a step makes an error of the order k + 1.
// `located`: switches are stopped at. Nothing: no such limit.
std::optional<int> find_order_limit(const Model& model, bool located);

ErrorEstimate estimate_error(const System& system, const State& start, const FirstRun& first,
                             const std::function<void(double)>& on_progress);

}  // namespace cartan::results
