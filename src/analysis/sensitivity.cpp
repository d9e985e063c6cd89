#include "analysis/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "analysis/tangents.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct SensitivityWorkspace : Workspace {
  std::unique_ptr<Workspace> variational, base;
};
SensitivityWorkspace& sensitivity(Workspace& workspace) {
  return static_cast<SensitivityWorkspace&>(workspace);
}

VectorXd base_rate(const System& base, StateView at, Workspace& workspace) {
  VectorXd rate(base.space().size());
  base.derivative(at, {rate.data(), static_cast<std::size_t>(rate.size())}, workspace);
  return rate;
}

}  // namespace

SensitivitySystem::SensitivitySystem(const System& base, std::vector<int> parameters,
                                     std::vector<double> units)
    : base_(base),
      parameters_(std::move(parameters)),
      variational_(base, static_cast<int>(parameters_.size()), parameters_, units),
      units_(VectorXd::Ones(static_cast<Eigen::Index>(parameters_.size()))),
      n_(embedded_numbers(base)) {
  for (std::size_t k = 0; k < units.size(); ++k) units_(static_cast<int>(k)) = units[k];
}

State SensitivitySystem::make_state(const State& base_state, const MatrixXd& by_parameters) const {
  const MatrixXd columns = by_parameters * units_.asDiagonal();
  State state = base_state;
  state.x.resize(n_);
  state.x.insert(state.x.end(), columns.data(), columns.data() + columns.size());
  return state;
}

State SensitivitySystem::base_state(StateView at) const {
  State state{at.t, {at.x.begin(), at.x.begin() + n_}, {at.mode.begin(), at.mode.end()}};
  state.x.resize(base_.space().size(), 0.0);
  return state;
}

Eigen::Map<const MatrixXd> SensitivitySystem::columns(std::span<const double> x) const {
  return {x.data() + n_, n_, static_cast<Eigen::Index>(parameters_.size())};
}

bool SensitivitySystem::event_time_slope(int event, StateView at, VectorXd& slope,
                                         Workspace& base) const {
  const State state = base_state(at);
  const VectorXd rate = base_rate(base_, state, base);
  FunctionSlope g;
  base_.event_slope(event, state, parameters_, g, base);
  const Eigen::Map<const VectorXd> by_x(g.by_x.data(), n_);
  const double speed = by_x.dot(rate.head(n_)) + g.by_time;
  const double size = by_x.cwiseAbs().dot(rate.head(n_).cwiseAbs()) + std::fabs(g.by_time);
  if (!(std::fabs(speed) > 1e-10 * size)) return false;
  const Eigen::Map<const VectorXd> by_p(g.by_parameters.data(), units_.size());
  slope = -(columns(at.x).transpose() * by_x + by_p.cwiseProduct(units_)) / speed;
  return true;
}

std::unique_ptr<Workspace> SensitivitySystem::make_workspace() const {
  auto w = std::make_unique<SensitivityWorkspace>();
  w->variational = variational_.make_workspace();
  w->base = base_.make_workspace();
  return w;
}

void SensitivitySystem::derivative(StateView at, std::span<double> xdot,
                                   Workspace& workspace) const {
  variational_.derivative(at, xdot, *sensitivity(workspace).variational);
}

void SensitivitySystem::jacobian(StateView at, Eigen::Ref<MatrixXd> J, Workspace& workspace) const {
  variational_.jacobian(at, J, *sensitivity(workspace).variational);
}

std::string SensitivitySystem::count_turns(StateView at, double length, std::span<int> turns,
                                           Workspace& workspace) const {
  return variational_.count_turns(at, length, turns, *sensitivity(workspace).variational);
}

void SensitivitySystem::event_values(StateView at, std::span<double> values,
                                     Workspace& workspace) const {
  base_.event_values(base_state(at), values, *sensitivity(workspace).base);
}

bool SensitivitySystem::handle_event(int which, State& state, Workspace& workspace) const {
  Workspace& base = *sensitivity(workspace).base;
  const State before = base_state(state);
  State after = before;
  const VectorXd rate_before = base_rate(base_, before, base);
  VectorXd slope;
  const bool crosses = event_time_slope(which, state, slope, base);
  if (!base_.handle_event(which, after, base)) return false;
  workspace.jumps = base.jumps;
  base.jumps.clear();
  workspace.jumps.impacts.clear();  // sequences without end have no derivatives here
  JumpSlope jump;
  std::string problem = base_.jump_slope(which, before, after, parameters_, jump, base);
  if (problem.empty() && !crosses && !parameters_.empty() &&
      (jump.by_x - MatrixXd::Identity(n_, n_)).norm() > 0)
    problem = "the motion only grazes '" + base_.events()[which].name +
              "' here, where derivatives are not finite";
  if (!problem.empty() && workspace.jumps.problem.empty()) workspace.jumps.problem = problem;
  const VectorXd rate_after = base_rate(base_, after, base);
  std::copy_n(after.x.begin(), n_, state.x.begin());
  state.mode = after.mode;
  if (!problem.empty()) return true;
  // S+ = R_x S- + R_p + (R_x f- + R_t - f+) dt_e/dp
  Eigen::Map<MatrixXd> S(state.x.data() + n_, n_, slope.size() > 0 ? slope.size() : units_.size());
  S = (jump.by_x * S + jump.by_parameters * units_.asDiagonal()).eval();
  if (crosses)
    S +=
        (jump.by_x * rate_before.head(n_) + jump.by_time - rate_after.head(n_)) * slope.transpose();
  return true;
}

// Positions and speeds by the base; derivatives keep the linearised constraints.
Projection SensitivitySystem::project(State& state, Workspace& workspace) const {
  Workspace& base = *sensitivity(workspace).base;
  State inner = base_state(state);
  const Projection done = base_.project(inner, base);
  if (!done.problem.empty()) return done;
  std::copy_n(inner.x.begin(), n_, state.x.begin());
  state.mode = inner.mode;
  const StateSpace& space = base_.space();
  const int m = tangent_numbers(base_), k = static_cast<int>(parameters_.size());
  MatrixXd columns(m, k);
  std::vector<double> rate(space.size(), 0.0), xi(space.tangent_size());
  for (int j = 0; j < k; ++j) {
    std::copy_n(state.x.begin() + n_ + j * n_, n_, rate.begin());
    space.to_tangent(inner.x, rate, xi);
    columns.col(j) = Eigen::Map<const VectorXd>(xi.data(), m) / units_(j);
  }
  keep_allowed(base_, inner, parameters_, columns, base);
  Eigen::Map<MatrixXd>(state.x.data() + n_, n_, k) =
      tangent_map(base_, inner.x) * columns * units_.asDiagonal();
  return done;
}

std::string SensitivitySystem::explain_failure(StateView at, Workspace& workspace) const {
  return base_.explain_failure(base_state(at), *sensitivity(workspace).base);
}

}  // namespace cartan
