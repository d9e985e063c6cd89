// A System with integrals of functions along its motion: x' = f(t, x), z_j' = e_j(t, x) / scale_j.
// Events, modes and constraints are those of the System; its quadratures are left out.
#pragma once

#include <memory>
#include <vector>

#include "system/state_function.h"

namespace cartan {

class IntegralSystem final : public System {
 public:
  // System and functions must outlive this one.
  IntegralSystem(const System& base, std::vector<const StateFunction*> integrands,
                 std::vector<double> scales);

  State inside(const State& base_state) const;  // with z = 0
  StateView base_view(StateView at, Workspace& workspace) const;
  Workspace& base_workspace(Workspace& workspace) const;
  int first_integral() const { return n_; }
  double scale(int j) const { return scales_[j]; }

  const StateSpace& space() const override { return space_; }
  State initial_state() const override { return inside(base_.initial_state()); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override;
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;
  int parameter_count() const override { return base_.parameter_count(); }
  void parameter_jacobian(StateView at, std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace& workspace) const override;
  int constraint_count() const override { return base_.constraint_count(); }
  void constraint_values(StateView at, std::span<double> values,
                         Workspace& workspace) const override;
  void constraint_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> C,
                           Workspace& workspace) const override;
  void constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                     Eigen::Ref<Eigen::MatrixXd> C,
                                     Workspace& workspace) const override;
  bool constrained() const override { return base_.constrained(); }
  Projection project(State& state, Workspace& workspace) const override;
  int turn_entries() const override { return base_.turn_entries(); }
  std::string count_turns(StateView at, double length, std::span<int> turns,
                          Workspace& workspace) const override;
  const std::vector<EventInfo>& events() const override { return base_.events(); }
  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override;
  void event_slope(int event, StateView at, std::span<const int> parameters, FunctionSlope& slope,
                   Workspace& workspace) const override;
  bool handle_event(int which, State& state, Workspace& workspace) const override;
  std::string explain_failure(StateView at, Workspace& workspace) const override;
  std::string component_name(int i) const override;

 private:
  State outside(const State& state) const;
  void put_back(const State& base_state, State& state) const;

  const System& base_;
  std::vector<const StateFunction*> integrands_;
  std::vector<double> scales_;
  int n_, base_size_;
  StateSpace space_;
};

// A function of the base, and an integral, as functions of the whole.
std::unique_ptr<StateFunction> make_inner_function(const IntegralSystem& system,
                                                   const StateFunction& function);
std::unique_ptr<StateFunction> make_integral_function(const IntegralSystem& system, int j);

}  // namespace cartan
