#include "analysis/extended_system.h"

#include <algorithm>

#include "analysis/tangents.h"

namespace cartan::analysis {

using Eigen::MatrixXd;

ExtendedSystem::ExtendedSystem(const System& base, int more)
    : base_(base),
      n_(embedded_numbers(base)),
      base_size_(base.space().size()),
      space_(space_without_quadratures(base)) {
  space_.add_vector(more);
}

State ExtendedSystem::inside(const State& base_state) const {
  State state = base_state;
  state.x.resize(n_);
  state.x.resize(space_.size(), 0.0);
  return state;
}

State ExtendedSystem::outside(StateView at) const {
  State state{at.t, {at.x.begin(), at.x.begin() + n_}, {at.mode.begin(), at.mode.end()}};
  state.x.resize(base_size_, 0.0);
  return state;
}

void ExtendedSystem::put_back(const State& base_state, State& state) const {
  std::copy_n(base_state.x.begin(), n_, state.x.begin());
  state.mode = base_state.mode;
}

StateView ExtendedSystem::base_view(StateView at, Workspace& workspace) const {
  std::vector<double>& x = static_cast<ExtendedWorkspace&>(workspace).x;
  std::copy_n(at.x.begin(), n_, x.begin());
  return {at.t, x, at.mode};
}

void ExtendedSystem::prepare(ExtendedWorkspace& w) const {
  w.base = base_.make_workspace();
  w.x.assign(base_size_, 0.0);
  w.xdot.assign(base_size_, 0.0);
  w.J.resize(base_size_, base_size_);
}

std::unique_ptr<Workspace> ExtendedSystem::make_workspace() const {
  auto w = std::make_unique<ExtendedWorkspace>();
  prepare(*w);
  return w;
}

void ExtendedSystem::constraint_values(StateView at, std::span<double> values,
                                       Workspace& workspace) const {
  base_.constraint_values(base_view(at, workspace), values, base_workspace(workspace));
}

void ExtendedSystem::constraint_jacobian(StateView at, Eigen::Ref<MatrixXd> C,
                                         Workspace& workspace) const {
  const int columns = std::min(n_, static_cast<int>(C.cols()));
  MatrixXd inner(base_.constraint_count(), columns);
  base_.constraint_jacobian(base_view(at, workspace), inner, base_workspace(workspace));
  C.setZero();
  C.leftCols(columns) = inner;
}

void ExtendedSystem::constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                                   Eigen::Ref<MatrixXd> C,
                                                   Workspace& workspace) const {
  base_.constraint_parameter_jacobian(base_view(at, workspace), which, C,
                                      base_workspace(workspace));
}

// What the base does with its part of the state; its notes come along.
template <class Change>
auto ExtendedSystem::change_base(State& state, Workspace& workspace, Change&& change) const {
  Workspace& base = base_workspace(workspace);
  State base_state = outside(state);
  auto result = change(base_state, base);
  put_back(base_state, state);
  workspace.jumps.take(base.jumps);
  return result;
}

Projection ExtendedSystem::project(State& state, Workspace& workspace) const {
  return change_base(state, workspace,
                     [&](State& s, Workspace& base) { return base_.project(s, base); });
}

bool ExtendedSystem::handle_event(int which, State& state, Workspace& workspace) const {
  return change_base(state, workspace,
                     [&](State& s, Workspace& base) { return base_.handle_event(which, s, base); });
}

bool ExtendedSystem::settle(State& state, Workspace& workspace) const {
  return change_base(state, workspace,
                     [&](State& s, Workspace& base) { return base_.settle(s, base); });
}

void ExtendedSystem::close_contacts(std::span<const int> contacts, State& state,
                                    Workspace& workspace) const {
  change_base(state, workspace, [&](State& s, Workspace& base) {
    base_.close_contacts(contacts, s, base);
    return true;
  });
}

std::string ExtendedSystem::count_turns(StateView at, double length, std::span<int> turns,
                                        Workspace& workspace) const {
  return base_.count_turns(base_view(at, workspace), length, turns, base_workspace(workspace));
}

void ExtendedSystem::event_values(StateView at, std::span<double> values,
                                  Workspace& workspace) const {
  base_.event_values(base_view(at, workspace), values, base_workspace(workspace));
}

void ExtendedSystem::event_slope(int event, StateView at, std::span<const int> parameters,
                                 FunctionSlope& slope, Workspace& workspace) const {
  base_.event_slope(event, base_view(at, workspace), parameters, slope, base_workspace(workspace));
  slope.by_x.resize(n_);
  slope.by_x.resize(space_.size(), 0.0);
}

std::string ExtendedSystem::jump_slope(int which, StateView before, StateView after,
                                       std::span<const int> parameters, JumpSlope& slope,
                                       Workspace& workspace) const {
  const State base_before = outside(before), base_after = outside(after);
  JumpSlope inner;
  const std::string problem = base_.jump_slope(which, base_before, base_after, parameters, inner,
                                               base_workspace(workspace));
  if (!problem.empty()) return problem;
  const int all = space_.size();
  slope.by_x.setIdentity(all, all);
  slope.by_x.topLeftCorner(n_, n_) = inner.by_x;
  slope.by_parameters.setZero(all, static_cast<int>(parameters.size()));
  slope.by_parameters.topRows(n_) = inner.by_parameters;
  slope.by_time.setZero(all);
  slope.by_time.head(n_) = inner.by_time;
  return "";
}

std::string ExtendedSystem::explain_failure(StateView at, Workspace& workspace) const {
  return base_.explain_failure(base_view(at, workspace), base_workspace(workspace));
}

}  // namespace cartan::analysis
