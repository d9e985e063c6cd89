#include "analysis/control/state_charts.h"

#include <algorithm>
#include <cmath>

#include "lie/quaternion.h"

namespace cartan::analysis {
namespace {

Quat<double> quaternion_at(const double* x) {
  return {x[0], x[1], x[2], x[3]};
}

}  // namespace

StateCharts::StateCharts(const StateSpace& space, int size) : size_(size), coordinate_of_(size) {
  for (const StateBlock& block : space.blocks())
    if (block.kind != StateBlock::Kind::vector && block.x < size) quaternions_.push_back(block.x);
  std::sort(quaternions_.begin(), quaternions_.end());
  for (int i = 0; i < size;) {
    const bool turn = std::binary_search(quaternions_.begin(), quaternions_.end(), i);
    for (int k = 0; k < (turn ? 4 : 1); ++k) coordinate_of_[i + k] = coordinates_;
    i += turn ? 4 : 1;
    coordinates_ += turn ? 3 : 1;
  }
}

bool StateCharts::in_quaternion(int x) const {
  return std::any_of(quaternions_.begin(), quaternions_.end(),
                     [&](int first) { return x >= first && x < first + 4; });
}

void StateCharts::take_base(std::span<const double> x, double* base) const {
  for (const int first : quaternions_) {
    const Quat<double> u = normalized(quaternion_at(x.data() + first));
    *base++ = u.w, *base++ = u.x, *base++ = u.y, *base++ = u.z;
  }
}

void StateCharts::to_coordinates(const double* base, std::span<const double> x, double* y) const {
  for (int i = 0; i < size_; ++i)
    if (!in_quaternion(i)) y[coordinate_of_[i]] = x[i];
  for (std::size_t k = 0; k < quaternions_.size(); ++k) {
    const Quat<double> p =
        conjugate(quaternion_at(base + 4 * k)) * quaternion_at(x.data() + quaternions_[k]);
    double* r = y + coordinate_of_[quaternions_[k]];
    const double factor = 2 / (std::fabs(p.w) > 1e-300 ? p.w : 1e-300);
    r[0] = factor * p.x, r[1] = factor * p.y, r[2] = factor * p.z;
  }
}

void StateCharts::to_point(const double* base, const double* y, std::span<double> x) const {
  for (int i = 0; i < size_; ++i)
    if (!in_quaternion(i)) x[i] = y[coordinate_of_[i]];
  for (std::size_t k = 0; k < quaternions_.size(); ++k) {
    const double* r = y + coordinate_of_[quaternions_[k]];
    const Quat<double> u =
        normalized(quaternion_at(base + 4 * k) * Quat<double>(1, r[0] / 2, r[1] / 2, r[2] / 2));
    double* to = x.data() + quaternions_[k];
    to[0] = u.w, to[1] = u.x, to[2] = u.y, to[3] = u.z;
  }
}

}  // namespace cartan::analysis
