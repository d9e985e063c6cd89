#include "analysis/comoving.h"

#include <algorithm>

#include "analysis/tangents.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct CoMovingWorkspace : ExtendedWorkspace {
  MatrixXd Y, D;
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
    : ExtendedSystem(base, static_cast<int>(averages.size())),
      symmetries_(symmetries),
      c_(std::move(c)),
      factors_(-(symmetries.fields * c_)),
      averages_(std::move(averages)) {}

State CoMovingSystem::outside(const State& comoving, const State& like) const {
  State state = like;
  std::copy_n(comoving.x.begin(), n_, state.x.begin());
  return state;
}

std::unique_ptr<Workspace> CoMovingSystem::make_workspace() const {
  auto w = std::make_unique<CoMovingWorkspace>();
  const int fields = base_.geometry()->field_count();
  prepare(*w);
  w->Y.resize(base_size_, fields);
  w->D.resize(base_size_, fields);
  return w;
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

void CoMovingSystem::constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                                   Eigen::Ref<MatrixXd> C,
                                                   Workspace& workspace) const {
  C.setZero();
  const Selection model(which, base_.parameter_count());
  if (model.which.empty()) return;
  MatrixXd inner(base_.constraint_count(), static_cast<int>(model.which.size()));
  ExtendedSystem::constraint_parameter_jacobian(at, model.which, inner, workspace);
  for (std::size_t j = 0; j < model.which.size(); ++j)
    C.col(model.places[j]) = inner.col(static_cast<Eigen::Index>(j));
}

void CoMovingSystem::event_slope(int event, StateView at, std::span<const int> parameters,
                                 FunctionSlope& slope, Workspace& workspace) const {
  const Selection model(parameters, base_.parameter_count());
  ExtendedSystem::event_slope(event, at, model.which, slope, workspace);
  std::vector<double> all(parameters.size(), 0.0);
  for (std::size_t j = 0; j < model.which.size(); ++j)
    all[model.places[j]] = slope.by_parameters[j];
  slope.by_parameters = std::move(all);
}

std::string CoMovingSystem::jump_slope(int which, StateView before, StateView after,
                                       std::span<const int> parameters, JumpSlope& slope,
                                       Workspace& workspace) const {
  const Selection model(parameters, base_.parameter_count());
  std::string problem =
      ExtendedSystem::jump_slope(which, before, after, model.which, slope, workspace);
  if (!problem.empty()) return problem;
  const MatrixXd inner = slope.by_parameters;
  slope.by_parameters.setZero(inner.rows(), static_cast<int>(parameters.size()));
  for (std::size_t j = 0; j < model.which.size(); ++j)
    slope.by_parameters.col(model.places[j]) = inner.col(static_cast<Eigen::Index>(j));
  return "";
}

}  // namespace cartan::analysis
