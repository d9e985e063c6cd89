#include "analysis/variational.h"

#include <algorithm>
#include <cmath>

#include "analysis/tangents.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct VariationalWorkspace : ExtendedWorkspace {
  MatrixXd by_parameters, columns;
};

VariationalWorkspace& variational(Workspace& workspace) {
  return static_cast<VariationalWorkspace&>(workspace);
}

// Of the largest rate of an event function: slower crossings have no derivatives.
constexpr double grazing = 1e-10;

VectorXd base_rate(const System& base, StateView at, Workspace& workspace) {
  VectorXd rate(base.space().size());
  base.derivative(at, {rate.data(), static_cast<std::size_t>(rate.size())}, workspace);
  return rate;
}

}  // namespace

VariationalSystem::VariationalSystem(const System& base, int columns, std::vector<int> parameters,
                                     std::vector<double> units)
    : ExtendedSystem(base, embedded_numbers(base) * columns),
      columns_(columns),
      parameters_(std::move(parameters)),
      units_(VectorXd::Ones(static_cast<Eigen::Index>(parameters_.size()))),
      carrier_(columns > 0 && columns == static_cast<int>(parameters_.size())
                   ? dynamic_cast<const ColumnCarrier*>(&base)
                   : nullptr) {
  for (std::size_t k = 0; k < units.size(); ++k) units_(static_cast<int>(k)) = units[k];
}

std::unique_ptr<Workspace> VariationalSystem::make_workspace() const {
  auto w = std::make_unique<VariationalWorkspace>();
  prepare(*w);
  w->by_parameters.setZero(base_size_, static_cast<int>(parameters_.size()));
  w->columns.setZero(n_, columns_);
  return w;
}

void VariationalSystem::derivative(StateView at, std::span<double> xdot,
                                   Workspace& workspace) const {
  VariationalWorkspace& w = variational(workspace);
  ++w.evaluations;
  const StateView base_at = base_view(at, workspace);
  if (carrier_) {
    carry(base_at, at, xdot, w);
    return;
  }
  base_.derivative(base_at, w.xdot, *w.base);
  std::copy_n(w.xdot.begin(), n_, xdot.begin());
  if (columns_ == 0) return;
  base_.jacobian(base_at, w.J, *w.base);
  const Eigen::Map<const MatrixXd> S(at.x.data() + n_, n_, columns_);
  Eigen::Map<MatrixXd> S_rate(xdot.data() + n_, n_, columns_);
  S_rate.noalias() = w.J.topLeftCorner(n_, n_) * S;
  if (parameters_.empty()) return;
  base_.parameter_jacobian(base_at, parameters_, w.by_parameters, *w.base);
  S_rate.rightCols(units_.size()) += w.by_parameters.topRows(n_) * units_.asDiagonal();
}

// f_x (S unit) + f_p unit = (f_x S + f_p) unit
void VariationalSystem::carry(StateView base_at, StateView at, std::span<double> xdot,
                              Workspace& workspace) const {
  VariationalWorkspace& w = variational(workspace);
  const Eigen::Map<const MatrixXd> S(at.x.data() + n_, n_, columns_);
  Eigen::Map<MatrixXd> S_rate(xdot.data() + n_, n_, columns_);
  for (int k = 0; k < columns_; ++k) w.columns.col(k) = S.col(k) / units_(k);
  carrier_->carry(base_at, w.columns, parameters_, w.xdot, S_rate, *w.base);
  for (int k = 0; k < columns_; ++k) S_rate.col(k) *= units_(k);
  std::copy_n(w.xdot.begin(), n_, xdot.begin());
}

void VariationalSystem::jacobian(StateView at, Eigen::Ref<MatrixXd> J, Workspace& workspace) const {
  VariationalWorkspace& w = variational(workspace);
  ++w.jacobians;
  base_.jacobian(base_view(at, workspace), w.J, *w.base);
  J.setZero();
  for (int k = 0; k <= columns_; ++k) J.block(k * n_, k * n_, n_, n_) = w.J.topLeftCorner(n_, n_);
}

bool VariationalSystem::event_time_slope(int event, StateView at, VectorXd& slope,
                                         Workspace& base) const {
  const State state = outside(at);
  const VectorXd rate = base_rate(base_, state, base);
  FunctionSlope h;
  base_.event_slope(event, state, parameters_, h, base);
  const Eigen::Map<const VectorXd> by_x(h.by_x.data(), n_);
  const double speed = by_x.dot(rate.head(n_)) + h.by_time;
  const double size = by_x.cwiseAbs().dot(rate.head(n_).cwiseAbs()) + std::fabs(h.by_time);
  if (!(std::fabs(speed) > grazing * size)) return false;
  const Eigen::Map<const MatrixXd> S(at.x.data() + n_, n_, columns_);
  slope = S.transpose() * by_x;
  const Eigen::Map<const VectorXd> by_p(h.by_parameters.data(), units_.size());
  slope.tail(units_.size()) += by_p.cwiseProduct(units_);
  slope *= -1 / speed;
  return true;
}

bool VariationalSystem::handle_event(int which, State& state, Workspace& workspace) const {
  Workspace& base = base_workspace(workspace);
  const State before = outside(state);
  VectorXd by_columns;
  const bool crosses = columns_ == 0 || event_time_slope(which, state, by_columns, base);
  if (!ExtendedSystem::handle_event(which, state, workspace)) return false;
  std::string& problem = workspace.jumps.problem;
  if (columns_ == 0 || !problem.empty()) return true;
  problem = carry_across(which, before, crosses ? &by_columns : nullptr, state, base);
  return true;
}

// S+ of a jump to `state` that has been made, its columns still those before; `when`: how its time
// changes with them, null where it only grazes. "" or why there are none.
std::string VariationalSystem::carry_across(int which, const State& before, const VectorXd* when,
                                            State& state, Workspace& base) const {
  const State after = outside(state);
  JumpSlope R;
  if (std::string why = base_.jump_slope(which, before, after, parameters_, R, base); !why.empty())
    return why;
  const VectorXd f_before = base_rate(base_, before, base).head(n_),
                 f_after = base_rate(base_, after, base).head(n_);
  const VectorXd shift = R.by_x * f_before + R.by_time - f_after;
  if (!when && shift.norm() > grazing * (f_before.norm() + f_after.norm()))
    return "the motion only grazes '" + base_.events()[which].name +
           "' here (a grazing bifurcation), where it has no derivatives";
  Eigen::Map<MatrixXd> S(state.x.data() + n_, n_, columns_);
  S = (R.by_x * S).eval();
  S.rightCols(units_.size()) += R.by_parameters * units_.asDiagonal();
  if (when) S += shift * when->transpose();
  return "";
}

bool VariationalSystem::settle(State& state, Workspace& workspace) const {
  const State before = state;
  const bool changed = ExtendedSystem::settle(state, workspace);
  if (columns_ > 0 && before.x != state.x && workspace.jumps.problem.empty())
    workspace.jumps.problem =
        "surfaces meet at the very start, where the motion has no derivatives; begin before or "
        "after the impact";
  return changed;
}

// The event in which these surfaces have just met: of its name, and zero.
int VariationalSystem::find_meeting(int contact, const State& at, Workspace& base) const {
  std::vector<double> values(base_.events().size());
  base_.event_values(at, values, base);
  int found = -1;
  for (int k = 0; k < static_cast<int>(values.size()); ++k)
    if (base_.events()[k].internal && base_.events()[k].name == base_.contact_name(contact) &&
        (found < 0 || std::fabs(values[k]) < std::fabs(values[found])))
      found = k;
  return found;
}

// Impacts that become ever faster: what is left of them is one that leaves no speed, as for the
// state. Positions agree with the limit to the third order of the time that is left, speeds to the
// second times the rates at which gravity and inertia along the gap change, columns to the first.
void VariationalSystem::close_contacts(std::span<const int> contacts, State& state,
                                       Workspace& workspace) const {
  Workspace& base = base_workspace(workspace);
  const State before = outside(state);
  VectorXd when;
  const int met = columns_ > 0 ? find_meeting(contacts.front(), before, base) : -1;
  const bool crosses = met >= 0 && event_time_slope(met, state, when, base);
  ExtendedSystem::close_contacts(contacts, state, workspace);
  std::string& problem = workspace.jumps.problem;
  if (columns_ == 0 || !problem.empty()) return;
  if (contacts.size() > 1 || !crosses)
    problem =
        "impacts at '" + base_.contact_name(contacts.front()) + "' follow each other without end" +
        (contacts.size() > 1 ? ", together with those at '" + base_.contact_name(contacts[1]) + "'"
                             : std::string()) +
        "; derivatives are taken to the limit of one contact's impacts only";
  else
    problem = carry_across(-1, before, &when, state, base);
}

}  // namespace cartan::analysis
