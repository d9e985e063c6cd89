// Where inputs go from a bound to another value: the arcs of a motion.
#pragma once

#include <vector>

#include "analysis/control/steering_problem.h"

namespace cartan::analysis {

struct InputArcs {
  std::vector<double> times;              // ends of arcs, from the start to the end of the motion
  std::vector<std::vector<double>> held;  // per arc and input: the bound it lies on, or NaN
  int count() const { return static_cast<int>(held.size()); }
};

// One arc where no input has a bound on which it lies for a while.
InputArcs find_input_arcs(const SteeringPhase& problem, const PhaseMotion& motion);

}  // namespace cartan::analysis
