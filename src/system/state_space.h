// The manifold a state lives on, as data: a list of blocks.
//
// A state is a flat array x of embedded numbers (a unit quaternion is four numbers). A displacement
// is a flat array of tangent numbers (three for a quaternion: a rotation vector in body axes).
//   plus:   x (+) d    vector blocks add; quaternion blocks u * exp(d); pose blocks X * exp(d)
//   minus:  x1 (-) x0  the d with x0 (+) d = x1; quaternion blocks log(u0^-1 u1), poses alike
// A pose block is SE(3) as one group: seven numbers (w, x, y, z and the position), six tangent
// ones, a twist (angular, linear) in body axes, so that a screw motion is a straight line. A
// quaternion block beside a vector block is the direct product SO(3) x R3.
#pragma once

#include <span>
#include <vector>

#include "core/folders.h"

namespace cartan::system {

struct StateBlock {
  enum class Kind { vector, quaternion, pose };
  Kind kind = Kind::vector;
  int x = 0;        // first embedded number
  int tangent = 0;  // first tangent number
  int size = 0;     // embedded numbers
};

class StateSpace {
 public:
  // Blocks are appended in order; neighbouring vectors merge.
  void add_vector(int size);
  void add_quaternion();
  void add_pose();

  int size() const { return size_; }
  int tangent_size() const { return tangent_size_; }
  const std::vector<StateBlock>& blocks() const { return blocks_; }

  void plus(std::span<const double> x, std::span<const double> d, std::span<double> result) const;
  // A part of the way x (+) d of a midpoint rule: as plus(x, part d), but the place of a pose goes
  // straight, along the rotation in the middle of `way`: p + part R exp(way_w/2) d_v. So a constant
  // force does the work of its potential exactly.
  void plus_straight(std::span<const double> x, std::span<const double> d,
                     std::span<const double> way, double part, std::span<double> result) const;
  void minus(std::span<const double> x1, std::span<const double> x0, std::span<double> d) const;
  // The rate x' as a tangent vector xi at x: x' = d/ds (x (+) s xi). Vectors: themselves;
  // quaternions: 2 vec(u^-1 u'); poses: (the same, R^T p').
  void to_tangent(std::span<const double> x, std::span<const double> rate,
                  std::span<double> xi) const;
  // The other way: x' = d/ds (x (+) s xi) in embedded numbers.
  void to_embedded(std::span<const double> x, std::span<const double> xi,
                   std::span<double> rate) const;
  // Where x = x0 (+) d moves with the tangent rate xi: d' = dexp^-1_{-d} xi, exactly.
  void displacement_rate(std::span<const double> d, std::span<const double> xi,
                         std::span<double> result) const;
  // The other way, of one block that turns: T = dexp_{-d}, set(row, column, entry).
  template <class Set>
  static void fill_turn(const StateBlock& b, std::span<const double> d, Set&& set) {
    double entries[36];
    const int size = calc_turn(b, d, entries);
    for (int k = 0; k < size; ++k)
      for (int i = 0; i < size; ++i) set(i, k, entries[k * size + i]);
  }
  // Brings unit quaternions back to length one.
  void normalise(std::span<double> x) const;
  // Largest | |u| - 1 | over the quaternions, those of poses too.
  double unit_norm_error(std::span<const double> x) const;

 private:
  static int calc_turn(const StateBlock& b, std::span<const double> d, double* columns);

  std::vector<StateBlock> blocks_;
  int size_ = 0, tangent_size_ = 0;
};

}  // namespace cartan::system
