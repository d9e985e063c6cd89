// The motion that compare measures others by, with an honest estimate of its own error.
//
// Two methods of different kinds are tried, each twice with different steps: an explicit one with
// error control (dop853) and an implicit one with fixed steps that keeps invariants (gl8). The two
// motions of one method differ by its truncation and by rounding, whatever that has grown to; the
// method whose motions differ less is the reference, and this difference is its error. Where the
// two methods are further apart than both say, neither is believed and their distance is the error.
#pragma once

#include <optional>
#include <string>

#include "results/compare/comparison.h"
#include "results/compare/method_run.h"

namespace cartan::results {

struct ReferenceMotion {
  MethodRun run;
  std::string how;   // "recursive, gl8 with step 0.01"
  double error = 0;  // of its end, estimated
  // How much a small displacement grows along the motion, from wherever it grows most to the end
  // (variational equations); nothing where they are not to be had.
  std::optional<double> growth;
  std::optional<double> chaotic_from;  // no motion computed with double precision is right after it
  std::string failure;                 // why there is no reference, or ""
};

ReferenceMotion make_reference(const Model& model, const ComparisonPlan& plan);

}  // namespace cartan::results
