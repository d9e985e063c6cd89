// A steering task with its model, made ready to be solved.
#pragma once

#include <memory>
#include <optional>

#include "analysis/control/steering.h"
#include "results/design/steer_code.h"
#include "results/design/steer_task.h"
#include "results/load/load.h"

namespace cartan::results {

struct SteerSetup {
  SteerTask task;
  ModelArguments arguments;            // of the model
  std::unique_ptr<const Model> model;  // its outputs are costs and conditions
  std::unique_ptr<System> system;
  std::unique_ptr<Workspace> workspace;
  std::vector<std::string> inputs;    // names of those that are free
  std::vector<std::string> left_out;  // inputs that keep their value
  State start;                        // where the guess begins
  State end;                          // where it ends
  std::vector<State> way;             // with loops: between the two, evenly in time
  std::unique_ptr<StateCharts> charts;
  SteerMaps maps;
  SteeringProblem problem;
  std::vector<std::string> end_names;  // of the conditions at the end

  SteerSetup() = default;
  SteerSetup(const SteerSetup&) = delete;
  SteerSetup& operator=(const SteerSetup&) = delete;
  double duration() const { return problem.duration_guess; }
};

// Refuses what cannot be steered. `model`: consents and sets of the command line; its path is that
// of the task.
void prepare_steering(const SteerTask& task, const ModelArguments& model, const api::Watch& watch,
                      SteerSetup& setup);

// The guess of the task for start 0; others are bent aside, each in its own way.
SteeringGuess make_steering_guess(const SteerSetup& setup, int start);

}  // namespace cartan::results
