#include "integrate/motion_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cartan::integrate {

namespace {

// Gauss and Jordan with row pivoting, in place. (Eigen's inverse of a 6 x 6 matrix takes
// seconds to compile.)
void invert_block(std::span<TurnBlocks::Column> columns, int size) {
  std::array<int, 6> from{};  // the row that became the pivot of each column
  for (int k = 0; k < size; ++k) {
    from[k] = k;
    for (int i = k + 1; i < size; ++i)
      if (std::fabs(columns[k].entries[i]) > std::fabs(columns[k].entries[from[k]])) from[k] = i;
    for (int j = 0; j < size; ++j) std::swap(columns[j].entries[k], columns[j].entries[from[k]]);
    const double inverse = 1 / columns[k].entries[k];
    columns[k].entries[k] = 1;
    for (int j = 0; j < size; ++j) columns[j].entries[k] *= inverse;
    for (int i = 0; i < size; ++i) {
      if (i == k) continue;
      const double factor = columns[k].entries[i];
      columns[k].entries[i] = 0;
      for (int j = 0; j < size; ++j) columns[j].entries[i] -= factor * columns[j].entries[k];
    }
  }
  for (int k = size - 1; k >= 0; --k)
    if (from[k] != k) std::swap(columns[k].entries, columns[from[k]].entries);
}

int turning_size(const StateBlock& b) {
  return b.kind == StateBlock::Kind::pose ? 6 : 3;
}

}  // namespace

MotionMatrix::MotionMatrix(const SecondOrderForm& form)
    : form_(form), speeds_(form.positions().tangent_size()), unit_(speeds_), column_(speeds_) {
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

// T is the inverse of what StateSpace::displacement_rate applies. It is block-diagonal, so that
// column k of all blocks comes from one call.
void MotionMatrix::fill_turn(std::span<const double> d) {
  const StateSpace& space = form_.positions();
  int most = 0;
  for (const StateBlock& b : space.blocks())
    if (b.kind != StateBlock::Kind::vector) most = std::max(most, turning_size(b));
  for (int k = 0; k < most; ++k) {
    std::fill(unit_.begin(), unit_.end(), 0.0);
    for (const StateBlock& b : space.blocks())
      if (b.kind != StateBlock::Kind::vector && k < turning_size(b)) unit_[b.tangent + k] = 1;
    space.displacement_rate(d, unit_, column_);
    for (const StateBlock& b : space.blocks())
      if (b.kind != StateBlock::Kind::vector && k < turning_size(b))
        for (int i = 0; i < turning_size(b); ++i)
          turn_.columns[b.tangent + k].entries[i] = column_[b.tangent + i];
  }
  for (const StateBlock& b : space.blocks()) {
    if (b.kind == StateBlock::Kind::vector) continue;
    const std::span<TurnBlocks::Column> columns = std::span(turn_.columns).subspan(b.tangent);
    invert_block(columns, turning_size(b));
  }
}

void MotionMatrix::refresh(const MotionPoint& at, double q_scale, double v_scale,
                           std::span<const double> d, Workspace& workspace) {
  q_scale_ = q_scale;
  v_scale_ = v_scale;
  fill_turn(d);
  const MotionDirections directions{q_scale, v_scale, &turn_};
  structured_ = form_.factorise_residual(at, directions, workspace);
  if (structured_) return;
  matrix_.resize(size(), size());
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

void MotionMatrix::solve(std::span<double> residual, Workspace& workspace) {
  if (size() == 0) return;
  if (structured_) return form_.solve_residual(residual, workspace);
  Eigen::Map<Eigen::VectorXd> r(residual.data(), size());
  solution_ = factors_.solve(r);
  r = solution_;
}

}  // namespace cartan::integrate
