// Systems that multiply their Jacobian with a vector without forming it.
#pragma once

#include <span>

#include "system/system.h"

namespace cartan::system {

class StateProducts {
 public:
  virtual ~StateProducts() = default;

  // result = J u and result = w^T J, exact, J = d xdot / d x in embedded numbers; as many numbers
  // as a state has.
  virtual void jvp(StateView at, std::span<const double> u, std::span<double> result,
                   Workspace& workspace) const = 0;
  virtual void vjp(StateView at, std::span<const double> w, std::span<double> result,
                   Workspace& workspace) const = 0;
};

}  // namespace cartan::system
