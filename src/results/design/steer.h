// Optimal control of a model, from the file of a task to a folder that is a run like any other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "results/design/steer_setup.h"
#include "results/json_values.h"

namespace cartan::results {

struct SteerArguments {
  std::string task;
  ModelArguments model;  // consents and sets; the path is the task's
  api::SteerOptions how;
  std::string command;  // for the report
};

// What a start led to, on its first mesh.
struct SteerStart {
  double objective = 0;
  bool converged = false;
  std::string problem;
};

// The motion once more, by the run loop with the inputs from the table.
struct SteerReplay {
  std::string input_kind;            // how the table of inputs is to be read
  std::optional<double> difference;  // largest, in the measure of the mesh error
  std::string problem;               // why there is none: the run left the plan
};

struct SteerRecord {
  std::shared_ptr<SteerSetup> setup;
  SteeringResult result;
  std::vector<SteerStart> starts;
  SteerReplay replay;
  double wall_seconds = 0, compile_seconds = 0;
  std::string folder;
  std::vector<std::string> files;
};

// Refuses bad input; a task that has no solution is a record that says so.
SteerRecord steer_task(const SteerArguments& arguments);

Json steer_json(const SteerRecord& record);
std::string steer_text(const SteerRecord& record);

// Runs the system from there (dop853, 1e-12) and compares (steer_replay.cpp).
void replay_motion(const System& system, const State& begin, SteerRecord& record);
// Writes the motion of a converged record as a run (steer_run.cpp) and adds folder and files.
void write_steered_run(const SteerArguments& arguments, SteerRecord& record);

}  // namespace cartan::results
