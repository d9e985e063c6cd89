// A System seen from a frame that moves along its symmetries, with averages taken along:
//
//   x' = f(x) - sum_k c_k Y_k(x),     z_j' = e_j(x)
//
// The Y_k commute with f, so that this flow over a time T is that of f, moved back by the symmetry
// exp(T sum c_k Y_k): a motion of f that repeats up to a symmetry (a weaving bicycle that has gone
// on meanwhile) is a closed orbit here, for the right constants c. They count as parameters after
// those of the model. Quadratures of the System are left out; z follows x.
#pragma once

#include <vector>

#include "analysis/symmetries.h"
#include "system/state_function.h"

namespace cartan {

class CoMovingSystem final : public System {
 public:
  // System, symmetries and functions must outlive this one. The system does not depend on time.
  CoMovingSystem(const System& base, const Symmetries& symmetries, Eigen::VectorXd c,
                 std::vector<const StateFunction*> averages);

  // A state of the base with z = 0, and back (`like`: what the base's quadratures and mode are).
  State inside(const State& base_state) const;
  State outside(const State& own, const State& like) const;
  // The symmetries at a state of this system, in its tangent numbers (columns; zero for z).
  Eigen::MatrixXd symmetry_directions(const State& own) const;
  int averages() const { return static_cast<int>(averages_.size()); }
  int first_speed() const { return base_.parameter_count(); }  // number of c_0 among parameters

  const StateSpace& space() const override { return space_; }
  State initial_state() const override { return inside(base_.initial_state()); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override;
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;
  int parameter_count() const override {
    return base_.parameter_count() + static_cast<int>(c_.size());
  }
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
  const std::vector<EventInfo>& events() const override { return events_; }
  void event_values(StateView, std::span<double>, Workspace&) const override {}
  std::string explain_failure(StateView at, Workspace& workspace) const override;
  std::string component_name(int i) const override;

 private:
  // The base's numbers at a state of this system, quadratures zero.
  StateView base_view(StateView at, Workspace& workspace) const;
  Eigen::MatrixXd fields(StateView base_at) const;

  const System& base_;
  const Symmetries& symmetries_;
  Eigen::VectorXd c_, factors_;  // factors_: of the geometry's fields in -sum c_k Y_k
  std::vector<const StateFunction*> averages_;
  int n_, base_size_;
  StateSpace space_;
  std::vector<EventInfo> events_;
};

}  // namespace cartan
