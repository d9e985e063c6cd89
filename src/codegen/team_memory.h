// Where the results of a team's tasks stay (team_schedule.h). What its role alone uses, in the same
// step, needs no place. What its role alone uses later is held in its registers, as far as there
// are some; everything else goes through memory: near, on the multiprocessor, as far as it reaches,
// otherwise far. A place is free again in the step after the last use.
#pragma once

#include <vector>

#include "codegen/team_schedule.h"

namespace cartan::codegen {

struct TeamValue {
  int maker = 0;           // task
  std::vector<int> users;  // tasks
};

struct TeamPlace {
  enum class Kind { none, held, near, far };
  Kind kind = Kind::none;
  int slot = -1;
};

struct TeamMemory {
  std::vector<TeamPlace> places;       // by value
  int near = 0, far = 0;               // slots
  long near_moves = 0, far_moves = 0;  // numbers put there and fetched from there
};

TeamMemory place_team_values(const std::vector<TeamValue>& values, const TeamSchedule& schedule,
                             int most_held, int most_near);

}  // namespace cartan::codegen
