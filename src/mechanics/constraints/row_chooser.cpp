#include "mechanics/constraints/row_chooser.h"

namespace cartan::mechanics {

RowChooser::RowChooser(const SparseMatrix& rows, const Eigen::VectorXd& sizes, double negligible)
    : block_of_(rows.rows(), -1),
      place_(rows.rows(), 0),
      sine_(rows.rows(), 0),
      taken_(rows.rows(), 0) {
  Eigen::VectorXd length = Eigen::VectorXd::Zero(rows.rows());
  for (Eigen::Index r = 0; r < rows.rows() && rows.cols() > 0; ++r) length[r] = rows.row(r).norm();
  share_ = length.cwiseQuotient(sizes);
  Eigen::VectorXd scale(rows.rows());
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    const bool zero = !(length[r] > negligible * sizes[r]);
    scale[r] = zero ? 0 : 1 / length[r];
    sine_[r] = zero ? 0 : 1;
  }
  const SparseMatrix unit = scale.asDiagonal() * rows;
  for (RowBlock& at : find_row_blocks(unit)) {
    Block block{std::move(at), {}, {}};
    block.rest = block.at.part_of(unit);
    for (std::size_t k = 0; k < block.at.rows.size(); ++k) {
      block_of_[block.at.rows[k]] = static_cast<int>(blocks_.size());
      place_[block.at.rows[k]] = static_cast<int>(k);
    }
    blocks_.push_back(std::move(block));
  }
}

// The remainder becomes a direction, and the others of the block lose their part along it.
bool RowChooser::take(Block& block, int place, double tolerance) {
  const int row = block.at.rows[place];
  Eigen::RowVectorXd direction = block.rest.row(place);
  for (const Eigen::RowVectorXd& d : block.directions) direction -= direction.dot(d) * d;
  const double length = direction.norm();
  sine_[row] = length;
  if (!(length > tolerance)) return false;
  direction /= length;
  taken_[row] = 1;
  ++rank_;
  if (length * share_[row] < strength_) {
    weakest_ = row;
    strength_ = length * share_[row];
  }
  for (std::size_t k = 0; k < block.at.rows.size(); ++k) {
    const int other = block.at.rows[k];
    if (taken_[other]) continue;
    const auto index = static_cast<Eigen::Index>(k);
    const double share = block.rest.row(index).dot(direction);
    if (share == 0) continue;
    block.rest.row(index) -= share * direction;
    sine_[other] = block.rest.row(index).norm();
  }
  block.directions.push_back(std::move(direction));
  return true;
}

void RowChooser::choose(const std::vector<int>& candidates, double tolerance,
                        std::vector<int>& chosen) {
  for (Block& block : blocks_)
    for (;;) {
      int best = -1;
      for (const int r : block.at.rows)
        if (candidates[r] && !taken_[r] && sine_[r] > tolerance &&
            (best < 0 || sine_[r] > sine_[best]))
          best = r;
      if (best < 0) break;
      if (take(block, place_[best], tolerance)) chosen[best] = 1;
    }
}

bool RowChooser::add(int row, double tolerance) {
  if (block_of_[row] < 0 || taken_[row] || !(sine_[row] > tolerance)) return false;
  return take(blocks_[block_of_[row]], place_[row], tolerance);
}

}  // namespace cartan::mechanics
