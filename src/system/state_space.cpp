#include "system/state_space.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "lie/quaternion.h"
#include "lie/se3.h"
#include "lie/so3.h"

namespace cartan::system {
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

Vec3<double> read_vec(const double* x) {
  return {x[0], x[1], x[2]};
}

void write_vec(const Vec3<double>& a, double* x) {
  x[0] = a.x;
  x[1] = a.y;
  x[2] = a.z;
}

Twist<double> read_twist(const double* d) {
  return {read_vec(d), read_vec(d + 3)};
}

void write_twist(const Twist<double>& V, double* d) {
  write_vec(V.w, d);
  write_vec(V.v, d + 3);
}

bool has_quaternion(const StateBlock& b) {
  return b.kind != StateBlock::Kind::vector;
}

// X exp(d), the rotation kept as a quaternion: exp(w, v) = (exp w, dexp_w v)
void move_pose(const double* x, const double* d, double* result) {
  const Quat<double> u = read_quat(x);
  const Twist<double> V = read_twist(d);
  const Vec3<double> shift = SO3<double>::dexp(V.w, V.v), p = read_vec(x + 4);
  write_quat(u * exp_quat(V.w), result);
  write_vec(p + rotate(u, shift), result + 4);
}

// log(X0^-1 X1)
Twist<double> pose_difference(const double* x1, const double* x0) {
  const Quat<double> u0 = read_quat(x0);
  const Vec3<double> w = log(conjugate(u0) * read_quat(x1));
  const Vec3<double> p = rotate_back(u0, read_vec(x1 + 4) - read_vec(x0 + 4));
  return {w, SO3<double>::dexp_inverse(w, p)};
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

void StateSpace::add_pose() {
  blocks_.push_back({StateBlock::Kind::pose, size_, tangent_size_, 7});
  size_ += 7;
  tangent_size_ += 6;
}

void StateSpace::plus(std::span<const double> x, std::span<const double> d,
                      std::span<double> result) const {
  for (const StateBlock& b : blocks_) {
    if (b.kind == StateBlock::Kind::vector) {
      for (int i = 0; i < b.size; ++i) result[b.x + i] = x[b.x + i] + d[b.tangent + i];
    } else if (b.kind == StateBlock::Kind::pose) {
      move_pose(&x[b.x], &d[b.tangent], &result[b.x]);
    } else {
      const double* a = d.data() + b.tangent;
      write_quat(read_quat(&x[b.x]) * exp_quat(Vec3<double>(a[0], a[1], a[2])), &result[b.x]);
    }
  }
}

void StateSpace::plus_straight(std::span<const double> x, std::span<const double> d,
                               std::span<const double> way, double part,
                               std::span<double> result) const {
  for (const StateBlock& b : blocks_) {
    const double *from = x.data() + b.x, *step = d.data() + b.tangent;
    double* to = result.data() + b.x;
    if (b.kind == StateBlock::Kind::vector) {
      for (int i = 0; i < b.size; ++i) to[i] = from[i] + part * step[i];
      continue;
    }
    const Quat<double> u = read_quat(from);
    if (b.kind == StateBlock::Kind::pose) {
      const Quat<double> middle = u * exp_quat(0.5 * read_vec(way.data() + b.tangent));
      write_vec(read_vec(from + 4) + part * rotate(middle, read_vec(step + 3)), to + 4);
    }
    write_quat(u * exp_quat(part * read_vec(step)), to);
  }
}

void StateSpace::minus(std::span<const double> x1, std::span<const double> x0,
                       std::span<double> d) const {
  for (const StateBlock& b : blocks_) {
    if (b.kind == StateBlock::Kind::vector) {
      for (int i = 0; i < b.size; ++i) d[b.tangent + i] = x1[b.x + i] - x0[b.x + i];
    } else if (b.kind == StateBlock::Kind::pose) {
      write_twist(pose_difference(&x1[b.x], &x0[b.x]), &d[b.tangent]);
    } else {
      const Vec3<double> a = log(conjugate(read_quat(&x0[b.x])) * read_quat(&x1[b.x]));
      d[b.tangent] = a.x;
      d[b.tangent + 1] = a.y;
      d[b.tangent + 2] = a.z;
    }
  }
}

void StateSpace::to_tangent(std::span<const double> x, std::span<const double> rate,
                            std::span<double> xi) const {
  for (const StateBlock& b : blocks_) {
    if (b.kind == StateBlock::Kind::vector) {
      std::copy_n(rate.begin() + b.x, b.size, xi.begin() + b.tangent);
      continue;
    }
    const Quat<double> u = read_quat(&x[b.x]);
    write_vec(angular_velocity(u, read_quat(&rate[b.x])), &xi[b.tangent]);
    if (b.kind == StateBlock::Kind::pose)
      write_vec(rotate_back(u, read_vec(&rate[b.x + 4])), &xi[b.tangent + 3]);
  }
}

void StateSpace::to_embedded(std::span<const double> x, std::span<const double> xi,
                             std::span<double> rate) const {
  for (const StateBlock& b : blocks_) {
    if (b.kind == StateBlock::Kind::vector) {
      std::copy_n(xi.begin() + b.tangent, b.size, rate.begin() + b.x);
      continue;
    }
    const Quat<double> u = read_quat(&x[b.x]);
    const Vec3<double> w = 0.5 * read_vec(&xi[b.tangent]);
    write_quat(u * Quat<double>(0, w.x, w.y, w.z), &rate[b.x]);  // u' = 1/2 u (0, w)
    if (b.kind == StateBlock::Kind::pose)
      write_vec(rotate(u, read_vec(&xi[b.tangent + 3])), &rate[b.x + 4]);
  }
}

void StateSpace::displacement_rate(std::span<const double> d, std::span<const double> xi,
                                   std::span<double> result) const {
  for (const StateBlock& b : blocks_) {
    const double *from = &d[b.tangent], *rate = &xi[b.tangent];
    if (b.kind == StateBlock::Kind::vector)
      std::copy_n(rate, b.size, &result[b.tangent]);
    else if (b.kind == StateBlock::Kind::pose)
      write_twist(SE3<double>::dexp_inverse(-read_twist(from), read_twist(rate)),
                  &result[b.tangent]);
    else
      write_vec(SO3<double>::dexp_inverse(-read_vec(from), read_vec(rate)), &result[b.tangent]);
  }
}

// Columns one after the other; their number.
int StateSpace::calc_turn(const StateBlock& b, std::span<const double> d, double* columns) {
  const double* from = &d[b.tangent];
  if (b.kind == StateBlock::Kind::quaternion) {
    const Mat3<double> T = SO3<double>::dexp_matrix(-read_vec(from));
    for (int k = 0; k < 3; ++k) write_vec(T.c[k], columns + 3 * k);
    return 3;
  }
  const auto T = SE3<double>::dexp_matrix(-read_twist(from));
  for (int k = 0; k < 3; ++k) {
    write_twist({T.ww.c[k], T.vw.c[k]}, columns + 6 * k);
    write_twist({{}, T.vv.c[k]}, columns + 6 * (3 + k));
  }
  return 6;
}

void StateSpace::normalise(std::span<double> x) const {
  for (const StateBlock& b : blocks_)
    if (has_quaternion(b)) write_quat(normalized(read_quat(&x[b.x])), &x[b.x]);
}

double StateSpace::unit_norm_error(std::span<const double> x) const {
  double worst = 0;
  for (const StateBlock& b : blocks_)
    if (has_quaternion(b)) {
      const Quat<double> u = read_quat(&x[b.x]);
      worst = std::max(worst, std::fabs(norm2(u) - 1) / (norm(u) + 1));  // = | |u| - 1 |
    }
  return worst;
}

}  // namespace cartan::system
