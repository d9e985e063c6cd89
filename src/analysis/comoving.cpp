#include "analysis/comoving.h"

#include <algorithm>

#include "analysis/tangents.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct CoMovingWorkspace : Workspace {
  std::unique_ptr<Workspace> base;
  std::vector<double> x, xdot;  // of the base, quadratures included
  MatrixXd J, Y, D;
  FunctionSlope slope;
};

CoMovingWorkspace& comoving(Workspace& workspace) {
  return static_cast<CoMovingWorkspace&>(workspace);
}

// The numbers of `which` below `count`, and where they stand.
struct Selection {
  std::vector<int> which, places;

  Selection(std::span<const int> all, int count) {
    for (std::size_t j = 0; j < all.size(); ++j)
      if (all[j] < count) which.push_back(all[j]), places.push_back(static_cast<int>(j));
  }
};

}  // namespace

CoMovingSystem::CoMovingSystem(const System& base, const Symmetries& symmetries, VectorXd c,
                               std::vector<const StateFunction*> averages)
    : base_(base),
      symmetries_(symmetries),
      c_(std::move(c)),
      factors_(-(symmetries.fields * c_)),
      averages_(std::move(averages)),
      n_(embedded_numbers(base)),
      base_size_(base.space().size()),
      space_(space_without_quadratures(base)) {
  space_.add_vector(static_cast<int>(averages_.size()));
}

State CoMovingSystem::inside(const State& base_state) const {
  State state = base_state;
  state.x.resize(n_);
  state.x.resize(space_.size(), 0.0);
  return state;
}

State CoMovingSystem::outside(const State& comoving, const State& like) const {
  State state = like;
  std::copy_n(comoving.x.begin(), n_, state.x.begin());
  return state;
}

std::unique_ptr<Workspace> CoMovingSystem::make_workspace() const {
  auto w = std::make_unique<CoMovingWorkspace>();
  const int fields = base_.geometry()->field_count();
  w->base = base_.make_workspace();
  w->x.assign(base_size_, 0.0);
  w->xdot.assign(base_size_, 0.0);
  w->J.resize(base_size_, base_size_);
  w->Y.resize(base_size_, fields);
  w->D.resize(base_size_, fields);
  return w;
}

StateView CoMovingSystem::base_view(StateView at, Workspace& workspace) const {
  std::vector<double>& x = comoving(workspace).x;
  std::copy_n(at.x.begin(), n_, x.begin());
  return {at.t, x, at.mode};
}

// Columns Y_k of the symmetries in embedded numbers of the base, without quadratures.
MatrixXd CoMovingSystem::fields(StateView base_at) const {
  const MotionGeometry& geometry = *base_.geometry();
  MatrixXd Y(base_size_, geometry.field_count()), D(base_size_, geometry.field_count());
  geometry.fields(base_at, std::vector<double>(base_size_, 0.0), Y, D);
  return (Y * symmetries_.fields).topRows(n_);
}

MatrixXd CoMovingSystem::symmetry_directions(const State& comoving) const {
  std::vector<double> x(base_size_, 0.0);
  std::copy_n(comoving.x.begin(), n_, x.begin());
  const MatrixXd Y = fields({comoving.t, x, comoving.mode});
  std::vector<double> rate(space_.size(), 0.0), xi(space_.tangent_size());
  MatrixXd result(space_.tangent_size(), Y.cols());
  for (Eigen::Index k = 0; k < Y.cols(); ++k) {
    Eigen::Map<VectorXd>(rate.data(), n_) = Y.col(k);
    space_.to_tangent(comoving.x, rate, xi);
    result.col(k) = Eigen::Map<const VectorXd>(xi.data(), space_.tangent_size());
  }
  return result;
}

void CoMovingSystem::derivative(StateView at, std::span<double> xdot, Workspace& workspace) const {
  CoMovingWorkspace& w = comoving(workspace);
  ++w.evaluations;
  const StateView base_at = base_view(at, workspace);
  base_.derivative(base_at, w.xdot, *w.base);
  // the direction of D does not matter: its own numbers are at hand
  base_.geometry()->fields(base_at, w.xdot, w.Y, w.D);
  Eigen::Map<VectorXd> rate(xdot.data(), n_);
  rate = Eigen::Map<const VectorXd>(w.xdot.data(), n_);
  rate.noalias() += w.Y.topRows(n_) * factors_;
  for (std::size_t j = 0; j < averages_.size(); ++j)
    xdot[n_ + j] = averages_[j]->value(base_at, *w.base);
}

void CoMovingSystem::jacobian(StateView at, Eigen::Ref<MatrixXd> J, Workspace& workspace) const {
  CoMovingWorkspace& w = comoving(workspace);
  ++w.jacobians;
  const StateView base_at = base_view(at, workspace);
  base_.jacobian(base_at, w.J, *w.base);
  base_.geometry()->add_field_jacobian(
      base_at, {factors_.data(), static_cast<std::size_t>(factors_.size())}, w.J);
  J.setZero();
  J.topLeftCorner(n_, n_) = w.J.topLeftCorner(n_, n_);
  VectorXd gradient(base_size_);
  for (std::size_t j = 0; j < averages_.size(); ++j) {
    averages_[j]->gradient(base_at, {gradient.data(), static_cast<std::size_t>(base_size_)},
                           *w.base);
    J.row(n_ + static_cast<Eigen::Index>(j)).head(n_) = gradient.head(n_).transpose();
  }
}

void CoMovingSystem::parameter_jacobian(StateView at, std::span<const int> which,
                                        Eigen::Ref<MatrixXd> J, Workspace& workspace) const {
  CoMovingWorkspace& w = comoving(workspace);
  const StateView base_at = base_view(at, workspace);
  J.setZero();
  const Selection model(which, base_.parameter_count());
  if (!model.which.empty()) {
    MatrixXd by_model(base_size_, static_cast<int>(model.which.size()));
    base_.parameter_jacobian(base_at, model.which, by_model, *w.base);
    for (std::size_t j = 0; j < model.which.size(); ++j)
      J.col(model.places[j]).head(n_) = by_model.col(static_cast<Eigen::Index>(j)).head(n_);
    for (std::size_t e = 0; e < averages_.size(); ++e) {
      averages_[e]->slope(base_at, model.which, w.slope, *w.base);
      for (std::size_t j = 0; j < model.which.size(); ++j)
        J(n_ + static_cast<Eigen::Index>(e), model.places[j]) = w.slope.by_parameters[j];
    }
  }
  const MatrixXd Y = fields(base_at);
  for (std::size_t j = 0; j < which.size(); ++j)
    if (which[j] >= first_speed())
      J.col(static_cast<Eigen::Index>(j)).head(n_) = -Y.col(which[j] - first_speed());
}

void CoMovingSystem::constraint_values(StateView at, std::span<double> values,
                                       Workspace& workspace) const {
  base_.constraint_values(base_view(at, workspace), values, *comoving(workspace).base);
}

void CoMovingSystem::constraint_jacobian(StateView at, Eigen::Ref<MatrixXd> C,
                                         Workspace& workspace) const {
  MatrixXd inner(base_.constraint_count(), base_size_);
  base_.constraint_jacobian(base_view(at, workspace), inner, *comoving(workspace).base);
  C.setZero();
  C.leftCols(n_) = inner.leftCols(n_);
}

void CoMovingSystem::constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                                   Eigen::Ref<MatrixXd> C,
                                                   Workspace& workspace) const {
  C.setZero();
  const Selection model(which, base_.parameter_count());
  if (model.which.empty()) return;
  MatrixXd inner(base_.constraint_count(), static_cast<int>(model.which.size()));
  base_.constraint_parameter_jacobian(base_view(at, workspace), model.which, inner,
                                      *comoving(workspace).base);
  for (std::size_t j = 0; j < model.which.size(); ++j)
    C.col(model.places[j]) = inner.col(static_cast<Eigen::Index>(j));
}

Projection CoMovingSystem::project(State& state, Workspace& workspace) const {
  State base_state;
  base_state.t = state.t;
  base_state.mode = state.mode;
  const StateView at = base_view(state, workspace);
  base_state.x.assign(at.x.begin(), at.x.end());
  const Projection done = base_.project(base_state, *comoving(workspace).base);
  std::copy_n(base_state.x.begin(), n_, state.x.begin());
  state.mode = base_state.mode;
  return done;
}

std::string CoMovingSystem::count_turns(StateView at, double length, std::span<int> turns,
                                        Workspace& workspace) const {
  return base_.count_turns(base_view(at, workspace), length, turns, *comoving(workspace).base);
}

std::string CoMovingSystem::explain_failure(StateView at, Workspace& workspace) const {
  return base_.explain_failure(base_view(at, workspace), *comoving(workspace).base);
}

std::string CoMovingSystem::component_name(int i) const {
  return i < n_ ? base_.component_name(i) : "average " + std::to_string(i - n_);
}

}  // namespace cartan
