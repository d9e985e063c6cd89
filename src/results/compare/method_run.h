// One motion of a model by one method, with what compare tells about it.
#pragma once

#include <string>
#include <vector>

#include "integrate/simulate.h"
#include "results/run/momentum_watch.h"
#include "results/run/motion_statistics.h"
#include "results/run/places.h"

namespace cartan::results {

struct OwnerViolation {
  std::string owner;    // "joint 'A'", "constraint 'b'"
  double position = 0;  // largest over the run
};

struct MethodRun {
  SimulateReport report;
  Place end;
  Path path;
  MotionStatistics statistics;
  MomentumWatch momentum;
  std::vector<OwnerViolation> violations;
  std::string refusal;
  double observing = 0;  // seconds that are not the method's
};

// How constraints are kept.
struct ConstraintKeeping {
  std::string stabilisation = "projection";
  std::string row_axes = "joint";  // of absolute-*
};
MethodRun run_method(const Model& model, const std::string& formulation,
                     const ConstraintKeeping& keeping, SimulateOptions options);

}  // namespace cartan::results
