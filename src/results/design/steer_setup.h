// A steering task with its model, made ready to be solved.
#pragma once

#include <memory>
#include <optional>

#include "analysis/control/steering.h"
#include "mechanics/machine/mechanism_system.h"
#include "results/design/steer_code.h"
#include "results/design/steer_task.h"
#include "results/load/load.h"

namespace cartan::results {

struct SteerPhase {
  std::string name;
  std::vector<int> closed;             // contacts of the model
  State at;                            // a state in its mode
  std::vector<int> closures;           // of System::constraint_values, independent ones
  std::vector<std::string> end_names;  // of the conditions at its end
  PhaseMaps maps;
};

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
  std::vector<SteerPhase> phases;
  std::vector<JunctionMap> junctions;  // beside those of the problem
  std::vector<int> swap;               // per embedded number, or empty
  std::unique_ptr<SmoothMap> span;
  SteerOutputs outputs;
  SteeringProblem problem;
  std::string without_curvature;  // why there are no second derivatives; "": there are

  SteerSetup() = default;
  SteerSetup(const SteerSetup&) = delete;
  SteerSetup& operator=(const SteerSetup&) = delete;
  double duration() const { return problem.duration_guess(); }
  const MechanicalSystem* mechanism() const {
    return dynamic_cast<const MechanicalSystem*>(system.get());
  }
};

// Refuses what cannot be steered. `model`: consents and sets of the command line; its path is that
// of the task.
void prepare_steering(const SteerTask& task, const ModelArguments& model, const api::Watch& watch,
                      SteerSetup& setup);

// Parts of it. Contacts of the phases, by name; what they cannot be is refused (steer_phases.cpp).
void find_phases(const SteerTask& task, const Model& model, SteerSetup& setup);
// The modes of the phases, the maps of phases and junctions, the problem but for its ends.
void make_phases(SteerSetup& setup);
// Which numbers of the start are given, which conditions at ends are asked for, where the guess
// begins and ends (steer_ends.cpp).
void choose_ends(SteerSetup& setup);

// The guess of the task for start 0; others are bent aside, each in its own way.
SteeringGuess make_steering_guess(const SteerSetup& setup, int start);

// A state of the motion in the mode of its phase.
State mode_of_phase(const SteerPhase& phase, State state);

}  // namespace cartan::results
