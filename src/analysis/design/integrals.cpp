#include "analysis/design/integrals.h"

#include <algorithm>

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;

struct IntegralWorkspace : ExtendedWorkspace {
  std::vector<double> gradient;  // by the numbers of the base
  FunctionSlope slope;
};

IntegralWorkspace& integral(Workspace& workspace) {
  return static_cast<IntegralWorkspace&>(workspace);
}

class InnerFunction final : public StateFunction {
 public:
  InnerFunction(const IntegralSystem& system, const StateFunction& function)
      : system_(system), function_(function) {}

  double value(StateView at, Workspace& workspace) const override {
    return function_.value(system_.base_view(at, workspace), system_.base_workspace(workspace));
  }
  double gradient(StateView at, std::span<double> gradient, Workspace& workspace) const override {
    FunctionSlope all;
    const double result = slope(at, {}, all, workspace);
    std::copy(all.by_x.begin(), all.by_x.end(), gradient.begin());
    return result;
  }
  double slope(StateView at, std::span<const int> parameters, FunctionSlope& slope,
               Workspace& workspace) const override {
    const double result = function_.slope(system_.base_view(at, workspace), parameters, slope,
                                          system_.base_workspace(workspace));
    slope.by_x.resize(system_.first_integral());
    slope.by_x.resize(system_.space().size(), 0.0);
    return result;
  }

 private:
  const IntegralSystem& system_;
  const StateFunction& function_;
};

class IntegralFunction final : public StateFunction {
 public:
  IntegralFunction(const IntegralSystem& system, int j) : system_(system), j_(j) {}

  double value(StateView at, Workspace&) const override {
    return system_.scale(j_) * at.x[system_.first_integral() + j_];
  }
  double gradient(StateView at, std::span<double> gradient, Workspace& workspace) const override {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    gradient[system_.first_integral() + j_] = system_.scale(j_);
    return value(at, workspace);
  }
  double slope(StateView at, std::span<const int> parameters, FunctionSlope& slope,
               Workspace& workspace) const override {
    slope.by_x.assign(at.x.size(), 0.0);
    slope.by_parameters.assign(parameters.size(), 0.0);
    slope.by_time = 0;
    return gradient(at, slope.by_x, workspace);
  }

 private:
  const IntegralSystem& system_;
  int j_;
};

}  // namespace

IntegralSystem::IntegralSystem(const System& base, std::vector<const StateFunction*> integrands,
                               std::vector<double> scales)
    : ExtendedSystem(base, static_cast<int>(integrands.size())),
      integrands_(std::move(integrands)),
      scales_(std::move(scales)) {}

std::unique_ptr<Workspace> IntegralSystem::make_workspace() const {
  auto w = std::make_unique<IntegralWorkspace>();
  prepare(*w);
  w->gradient.assign(base_size_, 0.0);
  return w;
}

void IntegralSystem::derivative(StateView at, std::span<double> xdot, Workspace& workspace) const {
  IntegralWorkspace& w = integral(workspace);
  ++w.evaluations;
  const StateView base_at = base_view(at, workspace);
  base_.derivative(base_at, w.xdot, *w.base);
  std::copy_n(w.xdot.begin(), n_, xdot.begin());
  for (std::size_t j = 0; j < integrands_.size(); ++j)
    xdot[n_ + j] = integrands_[j]->value(base_at, *w.base) / scales_[j];
}

void IntegralSystem::jacobian(StateView at, Eigen::Ref<MatrixXd> J, Workspace& workspace) const {
  IntegralWorkspace& w = integral(workspace);
  ++w.jacobians;
  const StateView base_at = base_view(at, workspace);
  base_.jacobian(base_at, w.J, *w.base);
  J.setZero();
  J.topLeftCorner(n_, n_) = w.J.topLeftCorner(n_, n_);
  for (std::size_t j = 0; j < integrands_.size(); ++j) {
    integrands_[j]->gradient(base_at, w.gradient, *w.base);
    J.row(n_ + static_cast<Eigen::Index>(j)).head(n_) =
        Eigen::Map<const Eigen::RowVectorXd>(w.gradient.data(), n_) / scales_[j];
  }
}

void IntegralSystem::parameter_jacobian(StateView at, std::span<const int> which,
                                        Eigen::Ref<MatrixXd> J, Workspace& workspace) const {
  IntegralWorkspace& w = integral(workspace);
  const StateView base_at = base_view(at, workspace);
  MatrixXd inner(base_size_, which.size());
  base_.parameter_jacobian(base_at, which, inner, *w.base);
  J.topRows(n_) = inner.topRows(n_);
  for (std::size_t j = 0; j < integrands_.size(); ++j) {
    integrands_[j]->slope(base_at, which, w.slope, *w.base);
    for (std::size_t k = 0; k < which.size(); ++k)
      J(n_ + static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) =
          w.slope.by_parameters[k] / scales_[j];
  }
}

std::unique_ptr<StateFunction> make_inner_function(const IntegralSystem& system,
                                                   const StateFunction& function) {
  return std::make_unique<InnerFunction>(system, function);
}

std::unique_ptr<StateFunction> make_integral_function(const IntegralSystem& system, int j) {
  return std::make_unique<IntegralFunction>(system, j);
}

}  // namespace cartan::analysis
