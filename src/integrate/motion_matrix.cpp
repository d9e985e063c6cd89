#include "integrate/motion_matrix.h"

#include <algorithm>

namespace cartan::integrate {

namespace {

int turning_size(const StateBlock& b) {
  return b.kind == StateBlock::Kind::pose ? 6 : 3;
}

}  // namespace

MotionMatrix::MotionMatrix(const SecondOrderForm& form)
    : form_(form), speeds_(form.positions().tangent_size()) {
  turn_.columns.resize(speeds_);
  for (int k = 0; k < speeds_; ++k) turn_.columns[k] = {k, 1, {1}};
  for (const StateBlock& b : form.positions().blocks())
    if (b.kind != StateBlock::Kind::vector)
      for (int k = 0; k < turning_size(b); ++k)
        turn_.columns[b.tangent + k] = {b.tangent, turning_size(b), {}};
}

void MotionMatrix::set_mode(std::span<const int> mode) {
  form_.fill_levels(mode, levels_);
  position_rows_ =
      static_cast<int>(std::count(levels_.begin(), levels_.end(), EquationLevel::position));
  solution_.resize(size());
}

void MotionMatrix::fill_turn(std::span<const double> d) {
  for (const StateBlock& b : form_.positions().blocks())
    if (b.kind != StateBlock::Kind::vector)
      StateSpace::fill_turn(b, d, [&](int row, int column, double value) {
        turn_.columns[b.tangent + column].entries[row] = value;
      });
}

bool MotionMatrix::refresh(const MotionPoint& at, double q_scale, double v_scale,
                           std::span<const double> d, std::span<double> residual,
                           Workspace& workspace) {
  q_scale_ = q_scale;
  v_scale_ = v_scale;
  fill_turn(d);
  const MotionDirections directions{q_scale, v_scale, &turn_};
  structured_ = form_.factorise_residual(at, directions, residual, workspace);
  if (structured_) return true;
  matrix_.resize(size(), size());
  form_.residual_matrix(at, directions, matrix_, workspace);
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    if (levels_[k] == EquationLevel::position)
      matrix_.row(speeds_ + static_cast<int>(k)) /= q_scale;
    if (levels_[k] == EquationLevel::velocity)
      matrix_.row(speeds_ + static_cast<int>(k)) /= v_scale;
  }
  if (size() > 0) factors_.compute(matrix_);
  return false;
}

void MotionMatrix::scale(std::span<double> residual) const {
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    if (levels_[k] == EquationLevel::position) residual[speeds_ + k] /= q_scale_;
    if (levels_[k] == EquationLevel::velocity) residual[speeds_ + k] /= v_scale_;
  }
}

void MotionMatrix::solve(std::span<double> residual, Workspace& workspace) {
  if (size() == 0) return;
  if (structured_) return form_.solve_residual(residual, workspace);
  Eigen::Map<Eigen::VectorXd> r(residual.data(), size());
  solution_ = factors_.solve(r);
  r = solution_;
}

}  // namespace cartan::integrate
