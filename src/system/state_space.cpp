#include "system/state_space.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "lie/quaternion.h"

namespace cartan {
namespace {

Quat<double> read_quat(const double* x) {
  return {x[0], x[1], x[2], x[3]};
}

void write_quat(const Quat<double>& q, double* x) {
  x[0] = q.w;
  x[1] = q.x;
  x[2] = q.y;
  x[3] = q.z;
}

}  // namespace

void StateSpace::add_vector(int size) {
  assert(size >= 0);
  if (size == 0) return;
  if (!blocks_.empty() && blocks_.back().kind == StateBlock::Kind::vector)
    blocks_.back().size += size;
  else
    blocks_.push_back({StateBlock::Kind::vector, size_, tangent_size_, size});
  size_ += size;
  tangent_size_ += size;
}

void StateSpace::add_quaternion() {
  blocks_.push_back({StateBlock::Kind::quaternion, size_, tangent_size_, 4});
  size_ += 4;
  tangent_size_ += 3;
}

void StateSpace::plus(std::span<const double> x, std::span<const double> d,
                      std::span<double> result) const {
  for (const StateBlock& b : blocks_) {
    if (b.kind == StateBlock::Kind::vector) {
      for (int i = 0; i < b.size; ++i) result[b.x + i] = x[b.x + i] + d[b.tangent + i];
    } else {
      const double* a = d.data() + b.tangent;
      write_quat(read_quat(&x[b.x]) * exp_quat(Vec3<double>(a[0], a[1], a[2])), &result[b.x]);
    }
  }
}

void StateSpace::minus(std::span<const double> x1, std::span<const double> x0,
                       std::span<double> d) const {
  for (const StateBlock& b : blocks_) {
    if (b.kind == StateBlock::Kind::vector) {
      for (int i = 0; i < b.size; ++i) d[b.tangent + i] = x1[b.x + i] - x0[b.x + i];
    } else {
      const Vec3<double> a = log(conjugate(read_quat(&x0[b.x])) * read_quat(&x1[b.x]));
      d[b.tangent] = a.x;
      d[b.tangent + 1] = a.y;
      d[b.tangent + 2] = a.z;
    }
  }
}

void StateSpace::normalise(std::span<double> x) const {
  for (const StateBlock& b : blocks_)
    if (b.kind == StateBlock::Kind::quaternion) write_quat(normalized(read_quat(&x[b.x])), &x[b.x]);
}

double StateSpace::unit_norm_error(std::span<const double> x) const {
  double worst = 0;
  for (const StateBlock& b : blocks_)
    if (b.kind == StateBlock::Kind::quaternion) {
      const Quat<double> u = read_quat(&x[b.x]);
      worst = std::max(worst, std::fabs(norm2(u) - 1) / (norm(u) + 1));  // = | |u| - 1 |
    }
  return worst;
}

}  // namespace cartan
