// A scalar function of the state with its exact gradient: what an expression over the names of a
// model means to numerics (a quantity to hold, a section, a potential).
#pragma once

#include <span>

#include "system/system.h"

namespace cartan::system {

class StateFunction {
 public:
  virtual ~StateFunction() = default;

  // `workspace` was made by the system the function belongs to.
  virtual double value(StateView at, Workspace& workspace) const = 0;
  // Returns the value; gradient[i] = d value / d x_i in embedded numbers, exact. Along tangent
  // vectors of the state space this is the derivative of the function.
  virtual double gradient(StateView at, std::span<double> gradient, Workspace& workspace) const = 0;
  // The same with the derivatives by time and by parameters.
  virtual double slope(StateView at, std::span<const int> parameters, FunctionSlope& slope,
                       Workspace& workspace) const = 0;
};

}  // namespace cartan::system
