// One function as the work of a team: a text per role, cut into steps between which all wait
// (team_schedule.h). The words in capitals are those of study/kernel/team.h, which lets the roles
// be warps of a GPU, or one thread that takes their steps in turn.
#pragma once

#include <map>
#include <string>

#include "codegen/c_function.h"
#include "codegen/team_memory.h"

namespace cartan::codegen {

// How many roles, how many warps for each (a warp has 32 runs), and what they have at hand.
struct TeamForm {
  int roles = 0, copies = 0;
  int most_held = 0;  // values in the registers of a role beside those of a step
  int most_near = 0;  // values of a run in the memory of the multiprocessor
};

// Numbers of the model that functions of a team read from a list, TEAM_NUMBER(k). In the code
// itself a double takes two instructions beside the one that uses it; those whose lower half is
// zero (0.5) are part of that one.
class TeamNumbers {
 public:
  std::string text_of(double number);
  std::string list() const;

 private:
  std::map<double, int> place_;
};

class TeamFunctionWriter : public CFunctionWriter {
 public:
  TeamFunctionWriter(const UnitPlan& plan, const CFlavour& flavour, const PlannedFunction& function,
                     const TeamForm& form, TeamNumbers& numbers);

  int near() const { return memory_.near; }
  int far() const { return memory_.far; }
  int steps() const { return static_cast<int>(schedule_.steps.size()); }
  // lane_NAME_team(TEAM_PLACE, int role, V t), with the texts of its roles.
  std::string write_team() const;
  // lane_NAME(t, x, p, c, out), which has the team do it, and lane_NAME_here(t), where the state is
  // with the team and the result stays there. `number`: by which the others know it.
  std::string write_call(const std::string& head, int number) const;

  std::string number(double magnitude) const override { return numbers_.text_of(magnitude); }
  std::string symbol(int argument, int entry) const override;
  std::string temporary(int number) const override;

 private:
  void find_tasks();
  void choose_steps();
  int cost_of(int node) const;
  void add_reads(int node, std::vector<int>& temporaries) const;
  std::string role_text(int role) const;
  std::string task_text(int task) const;
  std::string place_text(int value) const;

  TeamForm form_;
  TeamNumbers& numbers_;
  std::vector<std::vector<int>> statements_;  // by task
  std::vector<std::vector<int>> reads_;       // by task: temporaries
  std::vector<TeamTask> tasks_;
  std::vector<TeamValue> values_;  // by temporary
  TeamSchedule schedule_;
  TeamMemory memory_;
};

// Operations of a function, those of its longer ones (division, sine) weighted.
long team_cost(const UnitPlan& plan, const PlannedFunction& function);

}  // namespace cartan::codegen
