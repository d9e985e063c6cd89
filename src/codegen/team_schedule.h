// The statements of a function shared out to the roles of a team: several warps of a GPU that work
// on the same runs. Between steps all roles wait for each other; inside a step a role uses its own
// results and those of earlier steps. A role prefers tasks whose numbers it has made. A step grows
// as long as the work it does at once, against the time of its busiest role and of the wait, gets
// better: a higher cost of waiting means longer steps, so that fewer numbers are fetched again but
// more are alive at once.
#pragma once

#include <span>
#include <vector>

#include "core/folders.h"

namespace cartan::codegen {

struct TeamTask {
  int cost = 1;            // operations
  std::vector<int> needs;  // tasks before it whose results it uses
};

struct TeamSchedule {
  int roles = 0;
  std::vector<std::vector<std::vector<int>>> steps;  // by step and role, tasks in their order
  std::vector<int> step_of, role_of;                 // by task
};

TeamSchedule schedule_team(std::span<const TeamTask> tasks, int roles, int cost_of_waiting = 25);

}  // namespace cartan::codegen
