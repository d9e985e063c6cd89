#include "integrate/motion_matrix.h"

#include <algorithm>

namespace cartan::integrate {

template <int size>
static void invert_block(Eigen::MatrixXd& matrix, int first) {
  const Eigen::Matrix<double, size, size> block = matrix.block<size, size>(first, first);
  matrix.block<size, size>(first, first) = block.inverse();
}

MotionMatrix::MotionMatrix(const SecondOrderForm& form)
    : form_(form), speeds_(form.positions().tangent_size()), unit_(speeds_), column_(speeds_) {}

void MotionMatrix::set_mode(std::span<const int> mode) {
  form_.fill_levels(mode, levels_);
  position_rows_ =
      static_cast<int>(std::count(levels_.begin(), levels_.end(), EquationLevel::position));
  matrix_.resize(size(), size());
  solution_.resize(size());
}

// T is the inverse of what StateSpace::displacement_rate applies. It is block-diagonal, so that
// column k of all blocks comes from one call.
void MotionMatrix::fill_turn(std::span<const double> d) {
  turn_.setIdentity(speeds_, speeds_);
  const StateSpace& space = form_.positions();
  const auto size_of = [](const StateBlock& b) { return b.kind == StateBlock::Kind::pose ? 6 : 3; };
  for (int k = 0; k < 6; ++k) {
    std::fill(unit_.begin(), unit_.end(), 0.0);
    for (const StateBlock& b : space.blocks())
      if (b.kind != StateBlock::Kind::vector && k < size_of(b)) unit_[b.tangent + k] = 1;
    space.displacement_rate(d, unit_, column_);
    for (const StateBlock& b : space.blocks())
      if (b.kind != StateBlock::Kind::vector && k < size_of(b))
        for (int i = 0; i < size_of(b); ++i)
          turn_(b.tangent + i, b.tangent + k) = column_[b.tangent + i];
  }
  for (const StateBlock& b : space.blocks()) {
    if (b.kind == StateBlock::Kind::vector) continue;
    if (b.kind == StateBlock::Kind::pose)
      invert_block<6>(turn_, b.tangent);
    else
      invert_block<3>(turn_, b.tangent);
  }
}

void MotionMatrix::refresh(const MotionPoint& at, double q_scale, double v_scale,
                           std::span<const double> d, Workspace& workspace) {
  q_scale_ = q_scale;
  v_scale_ = v_scale;
  fill_turn(d);
  const MotionDirections directions{q_scale, v_scale, &turn_};
  form_.residual_matrix(at, directions, matrix_, workspace);
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    if (levels_[k] == EquationLevel::position)
      matrix_.row(speeds_ + static_cast<int>(k)) /= q_scale;
    if (levels_[k] == EquationLevel::velocity)
      matrix_.row(speeds_ + static_cast<int>(k)) /= v_scale;
  }
  if (size() > 0) factors_.compute(matrix_);
}

void MotionMatrix::scale(std::span<double> residual) const {
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    if (levels_[k] == EquationLevel::position) residual[speeds_ + k] /= q_scale_;
    if (levels_[k] == EquationLevel::velocity) residual[speeds_ + k] /= v_scale_;
  }
}

void MotionMatrix::solve(std::span<double> residual) {
  if (size() == 0) return;
  Eigen::Map<Eigen::VectorXd> r(residual.data(), size());
  solution_ = factors_.solve(r);
  r = solution_;
}

}  // namespace cartan::integrate
