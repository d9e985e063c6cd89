// The text of the kernel of a study: study/kernel/*.h, the equations of its model, its method and
// what it keeps. It compiles as lanes of a CPU (CARTAN_LANES doubles side by side), as plain C++
// (one lane) and as CUDA: one thread per run, or, for models with more numbers than a thread has
// registers, a team of warps for many runs (kernel/team.h).
#pragma once

#include <optional>
#include <string>

#include "codegen/lane_code.h"
#include "study/study.h"
#include "system/system.h"

namespace cartan::study {

struct LaneKernel {
  std::string text;
  std::string problem;  // why the study has none; a sentence without a full stop
  int states = 0, positions = 0;
  long operations = 0;    // of one evaluation of the rates
  bool starts = false;    // each run needs its start: closed mechanisms are assembled before
  std::vector<int> mode;  // of all runs, without turns
  LaneTeam team;          // its text is that of a team
  // Memory that a team needs: of the multiprocessor, and of the device.
  std::size_t near_bytes() const;
  std::size_t far_bytes() const;
  std::size_t team_lanes() const;
  std::size_t inputs = 0, constants = 0;
};

// The number type of kernels and its functions (kernel/lanes.h, functions.h).
std::string lane_kernel_head();

// On a GPU: up to so many operations of the rates all numbers of a run stay in the registers of a
// thread; from so many on a team is faster.
inline constexpr long most_thread_operations = 1200, fewest_team_operations = 2500;

// `problem`: the model cannot be computed at all. `team`: whether and from where on long functions
// are the work of a team.
LaneKernel make_lane_kernel(const Study& study, std::string& problem, const TeamRequest& team = {});

}  // namespace cartan::study
