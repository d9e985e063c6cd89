// One run: steps, what happens within them, samples, and why it ends. Stepping and samples stand in
// simulation_run.cpp, events and jumps in run_events.cpp, the words at the end in run_ending.cpp.
#pragma once

#include <limits>
#include <memory>

#include "integrate/accumulation.h"
#include "integrate/events.h"
#include "integrate/simulate.h"
#include "integrate/switch_watch.h"

namespace cartan::integrate {

class SimulationRun {
 public:
  SimulationRun(const System& system, const State& start, const SimulateOptions& options,
                const Observer& observer);
  SimulateReport operator()();

 private:
  void run_fixed();
  void run_adaptive();
  bool advance(double h, double t_next);  // one step and its events; false: the run is over
  bool step_freely(double h, double t_next);
  void hold_again();
  bool take_events();
  bool events_defined();
  bool fill_event_state(double length);
  bool fire(const Crossing& crossing);
  bool is_chattering(const EventInfo& info);
  bool take_notes();
  bool close_accumulated();
  void shorten(double& h, double& t_next);
  void tell_closing();
  bool project(State& state, bool at_step_end);
  bool forgives_projection();
  bool sample_until(double t);
  void give_sample(const State& state);
  void show_progress();
  bool end(RunStatus status, std::string message);
  std::string describe_growth();
  bool fail(const StepReport& step);

  const System& system_;
  const SimulateOptions& options_;
  const Observer& observer_;
  const IntegratorInfo& info_;
  const bool adaptive_, projecting_;
  std::unique_ptr<Integrator> integrator_;
  EventFinder events_;
  SwitchWatch switches_;
  State state_;  // now
  State at_event_, sample_, before_jump_, unprojected_;
  std::string lost_;  // why the end of the last step could not be projected
  const double t_begin_, t_end_;
  double sampled_t_ = std::numeric_limits<double>::quiet_NaN();  // of the last sample
  long grid_samples_ = 0;  // adaptive: samples given on the recording grid
  double shown_ = 0;       // progress last told
  // chattering: internal events since a time
  double chatter_begin_;
  int chatter_count_ = 0;
  bool free_step_ = false;  // the last step was taken with switches as written
  bool changed_ = false;    // an event of this step changed the state
  AccumulationWatch accumulation_;
  double next_jump_ = 0;  // expected after that time; 0: nothing is known
  // contacts that are closed since the last impact before the limit of a sequence of them, and it
  std::vector<int> closing_;
  double closing_t_ = 0;
  std::vector<Crossing> handled_;
  SimulateReport report_;
};

}  // namespace cartan::integrate
