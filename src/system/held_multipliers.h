// A System whose constraint forces can be held: the side of it that the scheme `held-multipliers`
// needs.
//
//   x' = f(t, x, lambda)      lambda(t, x): the multipliers that keep the constraints
// With lambda inserted this is the System's own derivative; with an older lambda it is not.
#pragma once

#include <span>
#include <string>

#include "system/system.h"

namespace cartan::system {

class HeldMultipliers {
 public:
  virtual ~HeldMultipliers() = default;
  // "" or why f cannot be evaluated with multipliers that are given, and what to use instead.
  virtual std::string refusal() const = 0;
  virtual int multiplier_count() const = 0;
  virtual void solve_multipliers(StateView at, std::span<double> multipliers,
                                 Workspace& workspace) const = 0;
  virtual void held_derivative(StateView at, std::span<const double> multipliers,
                               std::span<double> xdot, Workspace& workspace) const = 0;
};

}  // namespace cartan::system
