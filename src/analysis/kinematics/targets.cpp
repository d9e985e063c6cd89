#include "analysis/kinematics/targets.h"

#include <algorithm>
#include <cmath>

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::RowVectorXd tangent_gradient(const System& system, const StateFunction& function,
                                    StateView at, Workspace& workspace) {
  std::vector<double> gradient(at.x.size(), 0.0);
  function.gradient(at, gradient, workspace);
  return tangent_columns(
      system, at.x,
      Eigen::Map<const Eigen::RowVectorXd>(gradient.data(), embedded_numbers(system)));
}

}  // namespace

void FunctionTarget::values(StateView at, Eigen::Ref<VectorXd> e, Workspace& workspace) const {
  e(0) = function_->value(at, workspace);
}

void FunctionTarget::jacobian(StateView at, Eigen::Ref<MatrixXd> J, Workspace& workspace) const {
  J = tangent_gradient(system_, *function_, at, workspace);
}

TargetProblem::TargetProblem(const System& system, std::vector<const StateEquations*> targets,
                             std::vector<ValueRange> ranges, Unknowns unknowns, const State& start,
                             Workspace& workspace)
    : system_(system), ranges_(std::move(ranges)), workspace_(workspace) {
  const bool split = system.kinematic_size() > 0;
  const int speeds = tangent_place(system.space(), system.kinematic_size());
  const bool positions = unknowns == Unknowns::positions;
  first_ = split && !positions ? speeds : 0;
  last_ = split && positions ? speeds : tangent_numbers(system);
  if (!split && !positions) first_ = last_;
  const int rows = system.constraint_count();
  first_constraint_ = split && !positions ? rows / 2 : 0;
  constraint_rows_ = split ? rows / 2 : positions ? rows : 0;
  for (const StateEquations* target : targets) {
    const bool of_speeds = split && depends_on_speeds(system, *target, start, workspace);
    if (of_speeds == positions) continue;
    targets_.push_back(target);
    target_rows_ += target->rows();
  }
  if (!positions) ranges_.clear();
}

State TargetProblem::moved(const State& state, const VectorXd& d) const {
  VectorXd whole = VectorXd::Zero(tangent_numbers(system_));
  whole.segment(first_, size()) = d;
  State result = state;
  displace(system_, whole, result);
  return result;
}

VectorXd TargetProblem::change(const State& from, const State& to) const {
  return difference(system_, to.x, from.x).segment(first_, size());
}

int TargetProblem::range_side(int k, const State& state) const {
  const ValueRange& range = ranges_[k];
  const double value = range.function->value(state, workspace_);
  const auto rounding = [](double end) { return 1e-12 * std::max(1.0, std::fabs(end)); };
  if (std::isfinite(range.low) && value <= range.low + rounding(range.low)) return -1;
  return std::isfinite(range.high) && value >= range.high - rounding(range.high) ? 1 : 0;
}

VectorXd TargetProblem::residual(const State& state, const std::vector<int>& held) const {
  VectorXd r(target_rows_ + constraint_rows_ + static_cast<int>(ranges_.size()));
  int row = 0;
  for (const StateEquations* target : targets_) {
    target->values(state, r.segment(row, target->rows()), workspace_);
    row += target->rows();
  }
  if (constraint_rows_ > 0) {
    std::vector<double> values(system_.constraint_count());
    system_.constraint_values(state, values, workspace_);
    for (int i = 0; i < constraint_rows_; ++i) r(row + i) = values[first_constraint_ + i];
    row += constraint_rows_;
  }
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    const ValueRange& range = ranges_[k];
    const double value = range.function->value(state, workspace_);
    const int side = held.empty() ? 0 : held[k];
    r(row++) = side < 0 || value < range.low    ? value - range.low
               : side > 0 || value > range.high ? value - range.high
                                                : 0;
  }
  return r;
}

MatrixXd TargetProblem::matrix(const State& state, const std::vector<int>& held) const {
  const int all = tangent_numbers(system_);
  MatrixXd J(target_rows_ + constraint_rows_ + static_cast<int>(ranges_.size()), all);
  int row = 0;
  for (const StateEquations* target : targets_) {
    target->jacobian(state, J.middleRows(row, target->rows()), workspace_);
    row += target->rows();
  }
  if (constraint_rows_ > 0) {
    // of positions alone: their columns are the first ones
    const int numbers = first_ == 0 && system_.kinematic_size() > 0 ? system_.kinematic_size()
                                                                    : embedded_numbers(system_);
    MatrixXd C(system_.constraint_count(), numbers);
    system_.constraint_jacobian(state, C, workspace_);
    J.block(row, 0, constraint_rows_, last_) =
        tangent_columns(system_, state.x, C.middleRows(first_constraint_, constraint_rows_));
    row += constraint_rows_;
  }
  for (std::size_t k = 0; k < ranges_.size(); ++k, ++row) {
    const ValueRange& range = ranges_[k];
    const double value = range.function->value(state, workspace_);
    const bool counts = (!held.empty() && held[k] != 0) || value < range.low || value > range.high;
    J.row(row).setZero();
    if (counts) J.row(row) = tangent_gradient(system_, *range.function, state, workspace_);
  }
  return J.middleCols(first_, size());
}

bool depends_on_speeds(const System& system, const StateEquations& equations, const State& state,
                       Workspace& workspace) {
  if (system.kinematic_size() == 0) return false;
  State moving = state;
  const int first = system.kinematic_size(), last = embedded_numbers(system);
  for (int i = first; i < last; ++i) moving.x[i] += 0.3 + 0.7 * std::sin(1.0 + 2.3 * i);
  MatrixXd J(equations.rows(), tangent_numbers(system));
  equations.jacobian(moving, J, workspace);
  return J.rightCols(tangent_numbers(system) - tangent_place(system.space(), first))
             .cwiseAbs()
             .maxCoeff() > 0;
}

}  // namespace cartan::analysis
