// Names and values of a task as expressions of the model, and as numbers of its state.
#pragma once

#include <string>
#include <vector>

#include "results/design/steer_task.h"
#include "results/load/state_file.h"

namespace cartan::results {

// A coordinate, a speed or a variable of the model: "hinge.q", "hinge.v[1]", "x".
struct StateName {
  int joint = -1, variable = -1;  // which of the two
  bool velocity = false;
  int component = -1;  // -1: all
  bool known() const { return joint >= 0 || variable >= 0; }
};
StateName find_state_name(const Model& model, const std::string& text);

// The numbers of a condition; rotations as quaternions. Refuses what is none.
std::vector<double> condition_numbers(const SteerTask& task, const Model& model,
                                      const SteerCondition& condition);

// Expressions that vanish where the condition holds.
std::vector<std::string> condition_rows(const SteerTask& task, const Model& model,
                                        const SteerCondition& condition);

// Puts the numbers of a condition on a state name into the values of a state; `now` has all of
// them.
void put_condition(const SteerTask& task, const Model& model, const SteerCondition& condition,
                   const StateName& name, const StateValues& now, StateValues& values);

// Embedded numbers of the state that a name means.
std::vector<int> numbers_of_name(const Model& model, const System& system, const StateName& name);

// A number of the task.
double task_number(const SteerTask& task, const Model& model, const std::string& text,
                   Location where);

}  // namespace cartan::results
