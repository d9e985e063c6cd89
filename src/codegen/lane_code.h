// The equations of a model as functions for runs side by side: code over a number type V that is a
// SIMD vector, a double or a thread's double (study/kernel/lanes.h), so that one text serves CPU
// lanes, tests and GPUs. What depends on the varied parameters alone is computed once per run.
//
// Every function takes (t, x, p, c, out): p the inputs of a run, c its constants.
//   lane_prepare            the constants, from p alone
//   lane_start              the start as written, lane_settings: duration, step, tolerance; from p
//   lane_rates              x'; of closed mechanisms then the least pivot of the constraint rows
//   lane_position_rates     q' alone
//   lane_kept_K             an expression that is kept, one function each
//   lane_events             the event functions
//   lane_projected          the way back to the constraints (Derivation::ProjectionForm):
//   violations
//                           of positions and what they are measured with, the same of speeds, new
//                           positions, new speeds
//   lane_put_driven         numbers of driven joints
// Sums with a product are written as fused operations: the same bits wherever there are any.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "system/system.h"

namespace cartan::codegen {

// Teams: the warps of a block of a GPU that work on the same runs (codegen/team_function.h), for
// models whose numbers are too many for one thread's registers. A team has `roles` parts of the
// work, each done by `copies` warps, for 32 runs a warp.
struct LaneTeam {
  int roles = 0, copies = 0;  // 0: none, one thread per run
  int near = 0, far = 0,
      outputs = 0;  // numbers of a run in memory: TEAM_... in study/kernel/team.h
};
struct TeamRequest {
  long near_bytes = 0;         // memory of a multiprocessor for a team; 0: no teams
  long far_bytes = 0;          // a team's share of what the device keeps at hand of its memory
  long fewest_operations = 0;  // of the rates; below that there is no team
};

struct LaneCodeRequest {
  const Model* model = nullptr;
  std::vector<double> parameters;  // sample values, in file order
  State at;                        // a start, whose mode holds for all runs
  std::vector<int> inputs;         // parameters that vary
  std::vector<int> kept;           // outputs of the model, one per quantity; -1: none
  bool events = false;
  TeamRequest team;
};

struct LaneCode {
  std::string text;
  std::string problem;  // why there is none: a sentence without a full stop
  int states = 0, positions = 0, speeds = 0, constants = 0, events = 0, rows = 0;
  bool is_driven = false;  // there are driven joints in the tree
  // All runs start alike: inputs go into neither the constraints nor what is written of the start,
  // which assembly leaves as it is but for rounding.
  bool start_is_fixed = false;
  long operations = 0;  // of the rates
  LaneTeam team;
};

LaneCode make_lane_code(const LaneCodeRequest& request);

}  // namespace cartan::codegen
