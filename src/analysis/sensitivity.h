// A System together with the derivatives of its state by parameters, events and all:
//
//   x' = f(t, x; p),   S = dx/dp,   S' = (df/dx) S + df/dp
// Where an event changes the mode (dry friction that turns round, sticks or lets go) the rate jumps
// from f- to f+, and the instant t_e of the event moves with the parameters:
//   dt_e/dp = -(g_x S + g_p) / (g_x f- + g_t),   S+ = S- + (f- - f+) dt_e/dp
// with g the event function. So derivatives are exact across turning points and sticking.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "analysis/variational.h"

namespace cartan {

class SensitivitySystem final : public System {
 public:
  // The base must outlive this one. Derivatives are those by p / unit (1 where no units are given).
  SensitivitySystem(const System& base, std::vector<int> parameters,
                    std::vector<double> units = {});

  // x = (numbers of the base without quadratures, S column by column)
  // `by_parameters` without units.
  State make_state(const State& base_state, const Eigen::MatrixXd& by_parameters) const;
  State base_state(StateView at) const;  // quadratures zero
  Eigen::Map<const Eigen::MatrixXd> columns(std::span<const double> x) const;
  // dt_e/dp at a state where event function `event` crosses zero; nothing where it only touches.
  bool event_time_slope(int event, StateView at, Eigen::VectorXd& slope, Workspace& base) const;

  const StateSpace& space() const override { return variational_.space(); }
  State initial_state() const override { return variational_.initial_state(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override;
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;
  const std::vector<EventInfo>& events() const override { return base_.events(); }
  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override;
  bool handle_event(int which, State& state, Workspace& workspace) const override;
  int turn_entries() const override { return base_.turn_entries(); }
  std::string count_turns(StateView at, double length, std::span<int> turns,
                          Workspace& workspace) const override;
  bool constrained() const override { return base_.constrained(); }
  Projection project(State& state, Workspace& workspace) const override;
  std::string explain_failure(StateView at, Workspace& workspace) const override;
  std::string component_name(int i) const override { return variational_.component_name(i); }

 private:
  const System& base_;
  std::vector<int> parameters_;
  VariationalSystem variational_;
  Eigen::VectorXd units_;
  int n_;  // numbers of the base without quadratures
};

}  // namespace cartan
