// The flow of a System with its derivatives: x(t + h), the state-transition matrix on tangent
// numbers, and sensitivities to parameters, integrated together.
// Events of contacts and jumps are gone through exactly (variational.h). Dry friction of joints is
// refused (`refuse_flow`).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/variational.h"
#include "integrate/accumulation.h"
#include "integrate/events.h"

namespace cartan::analysis {

struct FlowOptions {
  std::string integrator = "dop853";
  double tolerance = 1e-13;
  long most_steps = 1000000;  // of one `advance`
  const std::atomic<bool>* stop_requested = nullptr;
};

// "" or why derivatives of the flow cannot be computed, and what to do.
std::string refuse_flow(const System& system);

class Flow {
 public:
  // `columns`: how many derivatives travel along, the last for these parameters.
  Flow(const System& system, int columns, std::vector<int> parameters, FlowOptions options);
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  const System& system() const { return system_; }
  Workspace& workspace() { return *workspace_; }  // of the system
  long evaluations() const;

  // Begins at a state with columns (tangent numbers x columns).
  void start(const State& state, const Eigen::MatrixXd& columns);
  // Replaces the columns, not the state: what is known of step lengths stays.
  void set_columns(const Eigen::MatrixXd& columns);
  // To exactly time t; "" or why not. `after_step` may stop early by returning false.
  std::string advance(double t, const std::function<bool()>& after_step = {});

  const State& state() const { return state_; }  // quadratures as at the start
  long jumps() const { return jumps_; }          // since the start
  // In tangent numbers at the state, brought back to the constraints.
  Eigen::MatrixXd columns();

  // The last step, to look inside: its beginning, and the state at theta in [0, 1] of it.
  double last_start() const { return integrator_->last_start(); }
  bool dense(double theta, State& inside);
  // The state after a step of its own length h from the same beginning.
  bool restep(double h, State& inside);

 private:
  std::string project();
  std::string take_events(bool& jumped);
  std::string close_accumulated(State& at);
  std::string keep_constraints(State& augmented);
  std::string describe(const StepReport& report) const;

  const System& system_;
  FlowOptions options_;
  int n_, columns_;
  std::vector<int> parameters_;
  VariationalSystem variational_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<Workspace> workspace_;
  State state_, augmented_;
  std::vector<double> inside_;
  std::unique_ptr<EventFinder> events_;  // where events may change the state
  AccumulationWatch accumulation_;
  double soon_ = 0;  // to the next jump, where that is known
  long jumps_ = 0;   // since the start
};

}  // namespace cartan::analysis
