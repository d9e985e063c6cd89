// Holds the switches of a System on their branches during a run (system/switches.h).
//
// Within a step every branch is fixed, so the rate is smooth and a method keeps its order. Where an
// event function crosses zero, the step ends and the branch changes. A switch that changes back and
// forth without time passing (a force that jumps and holds the motion at the jump) would do so for
// ever: then it is looked at once per step only, until it keeps its side again, and a warning
// tells.
#pragma once

#include <string>
#include <vector>

#include "system/switches.h"
#include "system/system.h"

namespace cartan::integrate {

class SwitchWatch {
 public:
  // `step`: of the run; no switch may change more than a thousand times within it.
  SwitchWatch(const System& system, double step);

  bool active() const { return switches_ && !switches_->empty(); }
  bool owns(int event) const {
    return event >= 0 && event < static_cast<int>(of_event_.size()) && of_event_[event] >= 0;
  }
  // Every branch from the state.
  void hold(State& state, Workspace& workspace);
  // The event function of a switch fell through zero at this state.
  void cross(int event, State& state, Workspace& workspace);
  // Some switch is looked at once per step only.
  bool sampling() const { return sampled_ > 0; }
  // Looks at these, once per step of the run; true when a branch changed: what the integrator knows
  // is void.
  bool begin_step(State& state, Workspace& workspace);
  // Branches as written.
  void release(State& state) const;
  // A step from this state had to be taken with the branches as written.
  void note_free_step(const State& state);

  // "" or what a user must know. Error control notices roots by itself.
  std::string warning(bool error_control) const {
    return warning_.empty() && !error_control ? root_warning_ : warning_;
  }

 private:
  struct Track {
    bool given_up = false;
    int branch = 0;    // last one
    double since = 0;  // changes are counted from here
    int changes = 0;
    double burst = 0;  // changes in quick succession are counted from here
    int quick = 0;
    int steady = 0;  // sampled: steps on one side
  };

  double argument(int which, State& state, Workspace& workspace);
  double upper_corner(const SwitchInfo& info, int branch) const;
  int branch_at(const SwitchInfo& info, double argument) const;
  void count_change(int which, State& state);
  bool is_endless(Track& track, double t) const;
  void warn(const SwitchInfo& info, double t);

  const System& system_;
  const std::vector<SwitchInfo>* switches_ = nullptr;
  const double step_;
  std::vector<int> of_event_;
  std::vector<Track> tracks_;
  std::vector<double> values_;
  int sampled_ = 0;
  double looked_ = 0;     // when these were looked at
  bool endless_ = false;  // the warning is about this
  std::string warning_, root_warning_;
};

}  // namespace cartan::integrate
