// Where a motion only touches the zero of an event function: next to it lie motions with a
// further event (an impact), and a branch of orbits ends there (a grazing bifurcation).
#pragma once

#include <string>

#include "system/system.h"

namespace cartan::analysis {

// The event function that comes nearest to zero and turns back, within `duration`.
struct NearTouch {
  int event = -1;    // none turns back
  double value = 0;  // there, with its sign
  double t = 0;
  double size = 0;  // the largest value of the function on the way
};
NearTouch find_near_touch(const System& system, const State& start, double duration);

}  // namespace cartan::analysis
