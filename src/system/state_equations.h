// Equations e(t, x) = 0 on a state, one or several together, with exact derivatives: targets of
// inverse kinematics. An orientation is three equations (a rotation vector that vanishes), which is
// better conditioned than the nine entries of a matrix.
#pragma once

#include <string>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan::system {

// The tangent number that belongs to embedded number x, the first of a block or one of a vector.
inline int tangent_place(const StateSpace& space, int x) {
  for (const StateBlock& block : space.blocks())
    if (x >= block.x && x < block.x + block.size) return block.tangent + (x - block.x);
  return space.tangent_size();
}

class StateEquations {
 public:
  virtual ~StateEquations() = default;

  virtual std::string name() const = 0;  // as the user wrote it
  virtual int rows() const = 0;
  // What is missing: e.
  virtual void values(StateView at, Eigen::Ref<Eigen::VectorXd> e, Workspace& workspace) const = 0;
  // J(i, j) = d e_i / d (tangent number j of x), exact; columns without quadratures.
  virtual void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J,
                        Workspace& workspace) const = 0;
};

}  // namespace cartan::system
