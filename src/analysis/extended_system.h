// A System with more numbers behind those of another one: x = (numbers of the base without its
// quadratures, more). Integrals along a motion, derivatives that travel with it, a frame that moves
// along are of this kind.
//
// Everything but the rates of the added numbers is the base's: its events and jumps, contacts,
// constraints, turns and messages are handed on here, once. A new function of System belongs here
// too. What a jump leaves behind (Workspace::jumps) is moved to the workspace of the whole.
#pragma once

#include <memory>
#include <vector>

#include "system/system.h"

namespace cartan::analysis {

struct ExtendedWorkspace : Workspace {
  std::unique_ptr<Workspace> base;
  std::vector<double> x, xdot;  // of the base, quadratures included
  Eigen::MatrixXd J;            // of the base
};

class ExtendedSystem : public System {
 public:
  // The base must outlive this one.
  ExtendedSystem(const System& base, int more);

  const System& base() const { return base_; }
  // A state of the base with zeros behind it; and back, with quadratures zero.
  State inside(const State& base_state) const;
  State outside(StateView at) const;
  // The same without a copy of its own: valid until the next call with this workspace.
  StateView base_view(StateView at, Workspace& workspace) const;
  static Workspace& base_workspace(Workspace& workspace) {
    return *static_cast<ExtendedWorkspace&>(workspace).base;
  }
  int first_more() const { return n_; }

  const StateSpace& space() const override { return space_; }
  State initial_state() const override { return inside(base_.initial_state()); }
  std::unique_ptr<Workspace> make_workspace() const override;

  int parameter_count() const override { return base_.parameter_count(); }
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

  double turn(int i) const override { return i < n_ ? base_.turn(i) : 0; }
  int turn_entries() const override { return base_.turn_entries(); }
  std::string count_turns(StateView at, double length, std::span<int> turns,
                          Workspace& workspace) const override;

  const std::vector<EventInfo>& events() const override { return base_.events(); }
  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override;
  void event_slope(int event, StateView at, std::span<const int> parameters, FunctionSlope& slope,
                   Workspace& workspace) const override;
  bool handle_event(int which, State& state, Workspace& workspace) const override;
  bool settle(State& state, Workspace& workspace) const override;
  // The added numbers do not jump.
  std::string jump_slope(int which, StateView before, StateView after,
                         std::span<const int> parameters, JumpSlope& slope,
                         Workspace& workspace) const override;
  int contact_count() const override { return base_.contact_count(); }
  std::string contact_name(int contact) const override { return base_.contact_name(contact); }
  void close_contacts(std::span<const int> contacts, State& state,
                      Workspace& workspace) const override;

  std::string explain_failure(StateView at, Workspace& workspace) const override;
  std::string component_name(int i) const override {
    return i < n_ ? base_.component_name(i) : name_more(i - n_);
  }

 protected:
  virtual std::string name_more(int j) const = 0;
  // The workspace of a derived class: its base's part made.
  void prepare(ExtendedWorkspace& workspace) const;
  void put_back(const State& base_state, State& state) const;

  const System& base_;
  const int n_;          // numbers of the base without quadratures
  const int base_size_;  // and with them
  StateSpace space_;

 private:
  template <class Change>
  auto change_base(State& state, Workspace& workspace, Change&& change) const;
};

}  // namespace cartan::analysis
