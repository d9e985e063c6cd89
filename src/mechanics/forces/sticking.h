// Forces of least size where friction that sticks carries a part of what is needed.
#pragma once

#include <span>

#include <Eigen/Core>

#include "mechanics/forces/dry_friction.h"

namespace cartan::mechanics {

// minimise | A (force - f) |  over f with |f| <= limit on every sticking joint; A (force - f) is
// returned. An empty A stands for the identity.
Eigen::VectorXd calc_least_force(const Eigen::MatrixXd& A, Eigen::VectorXd force,
                                 std::span<const StickingForce> sticking);

}  // namespace cartan::mechanics
