// Contacts of a steered motion, looked at once more: between the points at which the program
// looked, and by the law of impacts that `run` has.
#pragma once

#include <string>
#include <vector>

#include "results/design/steer_setup.h"

namespace cartan::results {

// The state of a motion at the start or at the end of a phase, in the mode of that phase.
State edge_state(const SteerSetup& setup, const SteeringMotion& motion, int phase, bool at_end);

// What the law of impacts makes of the end of the phase before a junction.
struct RepeatedImpact {
  std::vector<Impact> impacts;
  double difference = 0;  // of the speeds after it, relative to 1 + their size
  std::string problem;
};
RepeatedImpact repeat_impact(const SteerSetup& setup, const SteeringMotion& motion,
                             std::size_t junction);

// "" or which contact does what the phases do not say: one that counts only in places (`active`)
// would close, or an impact goes another way.
std::string find_unplanned_contact(const SteerSetup& setup, const SteeringMotion& motion);

}  // namespace cartan::results
