#include "analysis/variational.h"

#include <algorithm>

#include "analysis/tangents.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct VariationalWorkspace : Workspace {
  std::unique_ptr<Workspace> base;
  std::vector<double> x, xdot;  // of the base, quadratures included
  MatrixXd J, by_parameters, columns;
};

VariationalWorkspace& variational(Workspace& workspace) {
  return static_cast<VariationalWorkspace&>(workspace);
}

}  // namespace

VariationalSystem::VariationalSystem(const System& base, int columns, std::vector<int> parameters,
                                     std::vector<double> units)
    : base_(base),
      n_(embedded_numbers(base)),
      columns_(columns),
      parameters_(std::move(parameters)),
      units_(std::move(units)),
      carrier_(columns > 0 && columns == static_cast<int>(parameters_.size())
                   ? dynamic_cast<const ColumnCarrier*>(&base)
                   : nullptr),
      space_(space_without_quadratures(base)) {
  space_.add_vector(n_ * columns_);
  units_.resize(parameters_.size(), 1.0);
}

State VariationalSystem::initial_state() const {
  State state = base_.initial_state();
  state.x.resize(n_);
  state.x.resize(space_.size(), 0.0);
  return state;
}

std::unique_ptr<Workspace> VariationalSystem::make_workspace() const {
  auto w = std::make_unique<VariationalWorkspace>();
  const int n = base_.space().size();
  w->base = base_.make_workspace();
  w->x.assign(n, 0.0);
  w->xdot.assign(n, 0.0);
  w->J.resize(n, n);
  w->by_parameters.setZero(n, static_cast<int>(parameters_.size()));
  w->columns.setZero(n_, columns_);
  return w;
}

void VariationalSystem::derivative(StateView at, std::span<double> xdot,
                                   Workspace& workspace) const {
  VariationalWorkspace& w = variational(workspace);
  ++w.evaluations;
  std::copy_n(at.x.begin(), n_, w.x.begin());
  const StateView base_at(at.t, w.x, at.mode);
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
  const Eigen::Map<const VectorXd> unit(units_.data(), w.by_parameters.cols());
  S_rate.rightCols(unit.size()) += w.by_parameters.topRows(n_) * unit.asDiagonal();
}

// f_x (S unit) + f_p unit = (f_x S + f_p) unit
void VariationalSystem::carry(StateView base_at, StateView at, std::span<double> xdot,
                              Workspace& workspace) const {
  VariationalWorkspace& w = variational(workspace);
  const Eigen::Map<const VectorXd> unit(units_.data(), columns_);
  const Eigen::Map<const MatrixXd> S(at.x.data() + n_, n_, columns_);
  Eigen::Map<MatrixXd> S_rate(xdot.data() + n_, n_, columns_);
  for (int k = 0; k < columns_; ++k) w.columns.col(k) = S.col(k) / unit(k);
  carrier_->carry(base_at, w.columns, parameters_, w.xdot, S_rate, *w.base);
  for (int k = 0; k < columns_; ++k) S_rate.col(k) *= unit(k);
  std::copy_n(w.xdot.begin(), n_, xdot.begin());
}

void VariationalSystem::jacobian(StateView at, Eigen::Ref<MatrixXd> J, Workspace& workspace) const {
  VariationalWorkspace& w = variational(workspace);
  ++w.jacobians;
  std::copy_n(at.x.begin(), n_, w.x.begin());
  base_.jacobian({at.t, w.x, at.mode}, w.J, *w.base);
  J.setZero();
  for (int k = 0; k <= columns_; ++k) J.block(k * n_, k * n_, n_, n_) = w.J.topLeftCorner(n_, n_);
}

void VariationalSystem::event_values(StateView at, std::span<double> values,
                                     Workspace& workspace) const {
  if (events_.empty()) return;
  VariationalWorkspace& w = variational(workspace);
  std::copy_n(at.x.begin(), n_, w.x.begin());
  base_.event_values({at.t, w.x, at.mode}, values, *w.base);
}

std::string VariationalSystem::count_turns(StateView at, double length, std::span<int> turns,
                                           Workspace& workspace) const {
  VariationalWorkspace& w = variational(workspace);
  std::copy_n(at.x.begin(), n_, w.x.begin());
  return base_.count_turns({at.t, w.x, at.mode}, length, turns, *w.base);
}

std::string VariationalSystem::component_name(int i) const {
  if (i < n_) return base_.component_name(i);
  return "derivative " + std::to_string((i - n_) / n_) + " of " +
         base_.component_name((i - n_) % n_);
}

}  // namespace cartan
