// The text of the kernel of a study: study/kernel/*.h, the equations of its model, its method and
// what it keeps. It compiles as lanes of a CPU (CARTAN_LANES doubles side by side), as plain C++
// (one lane) and as CUDA (one thread per run).
#pragma once

#include <optional>
#include <string>

#include "study/study.h"
#include "system/system.h"

namespace cartan {

struct LaneKernel {
  std::string text;
  std::string problem;  // why the study has none; a sentence without a full stop
  int states = 0, positions = 0;
  long operations = 0;    // of one evaluation of the rates
  bool starts = false;    // each run needs its start: closed mechanisms are assembled before
  std::vector<int> mode;  // of all runs, without turns
};

// The number type of kernels and its functions (kernel/lanes.h).
const char* lane_kernel_head();

// `problem`: the model cannot be computed at all.
LaneKernel make_lane_kernel(const Study& study, std::string& problem);

}  // namespace cartan
