// Local coordinates of a state space: numbers y around a base.
//
// Numbers of vectors are themselves. A unit quaternion u near its base b is three numbers r,
// Cayley's coordinates of the turn between them:
//   b^-1 u = (1, r/2) / sqrt(1 + |r|^2/4),     r = 2 vec(b^-1 u) / (b^-1 u)_0
//   r' = (2 vec(p') - r p_0') / p_0            with p = b^-1 u, p' = b^-1 u'
// r is the rotation vector to third order, rational in u, and has no singularity but the half turn.
// A base is the quaternions of a state, four numbers each.
#pragma once

#include <span>
#include <vector>

#include "system/state_space.h"

namespace cartan::analysis {

class StateCharts {
 public:
  // The first `size` embedded numbers of a space (without quadratures).
  StateCharts(const StateSpace& space, int size);

  int size() const { return size_; }                // embedded numbers
  int coordinates() const { return coordinates_; }  // n
  int base_size() const { return 4 * static_cast<int>(quaternions_.size()); }
  // First embedded numbers of the quaternions, ascending.
  const std::vector<int>& quaternions() const { return quaternions_; }
  // The coordinate of embedded number x; of a quaternion its first.
  int coordinate_of(int x) const { return coordinate_of_[x]; }
  bool in_quaternion(int x) const;

  void take_base(std::span<const double> x, double* base) const;
  void to_coordinates(const double* base, std::span<const double> x, double* y) const;
  void to_point(const double* base, const double* y, std::span<double> x) const;

 private:
  int size_, coordinates_ = 0;
  std::vector<int> quaternions_, coordinate_of_;
};

}  // namespace cartan::analysis
