// The methods of integration as text for kernels: their numbers, taken from integrate/tableau.h.
#pragma once

#include <string>

#include "core/folders.h"

namespace cartan::study {

struct LaneMethod {
  std::string text;  // to stand before study/kernel/explicit_steps.h or gauss_steps.h
  bool gauss = false;
  std::string problem;  // there is none for kernels
};

// `dense`: the motion inside of steps is asked for.
LaneMethod make_lane_method(const std::string& integrator, bool dense);

}  // namespace cartan::study
