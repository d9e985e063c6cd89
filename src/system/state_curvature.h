// Exact second derivatives of a System, for analyses that follow eigenvalues.
#pragma once

#include <span>

#include "system/system.h"

namespace cartan::system {

// Belongs to one System and a list of its parameters; has its own scratch, one per thread.
class StateCurvature {
 public:
  virtual ~StateCurvature() = default;

  // d/dr d/ds of the rates f(t, x + s u + r w; p + r e) at r = s = 0, in embedded numbers without
  // quadratures, with e along parameter number `parameter` of the list (-1: none moves).
  virtual void rates(StateView at, std::span<const double> u, std::span<const double> w,
                     int parameter, std::span<double> result) = 0;
  // The same of System::constraint_values.
  virtual void constraints(StateView at, std::span<const double> u, std::span<const double> w,
                           int parameter, std::span<double> result) = 0;
};

}  // namespace cartan::system
