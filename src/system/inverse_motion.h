// Systems that tell the forces accelerations take, and how these change with the state.
#pragma once

#include <span>
#include <string>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan::system {

class InverseMotion {
 public:
  virtual ~InverseMotion() = default;

  // The state is that of joints.
  virtual bool has_joint_coordinates() const = 0;
  // Why there are no forces here; empty: there are.
  virtual std::string refuse_inverse() const = 0;
  // M(q) a + h(t, q, v), one number per speed: what joints must add to all that acts. Multipliers
  // of constraints and friction that sticks take no part.
  virtual void joint_forces(StateView at, std::span<const double> a, std::span<double> forces,
                            Workspace& workspace) const = 0;
  // Its exact derivatives by x in embedded numbers, a held: a row per force. (By a they are M.)
  virtual void joint_force_jacobian(StateView at, std::span<const double> a,
                                    Eigen::Ref<Eigen::MatrixXd> by_x,
                                    Workspace& workspace) const = 0;
};

}  // namespace cartan::system
