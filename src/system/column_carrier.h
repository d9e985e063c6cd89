// Systems that give their rate together with the rates of sensitivities in one go, faster than by
// two Jacobians: dual numbers whose directions are the sensitivities themselves.
#pragma once

#include <span>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan::system {

class ColumnCarrier {
 public:
  virtual ~ColumnCarrier() = default;

  // xdot = f(t, x; p) and rates = f_x S + f_p for the parameters `which`, one column each. S and
  // rates have as many rows as there are numbers without quadratures.
  virtual void carry(StateView at, const Eigen::Ref<const Eigen::MatrixXd>& S,
                     std::span<const int> which, std::span<double> xdot,
                     Eigen::Ref<Eigen::MatrixXd> rates, Workspace& workspace) const = 0;
};

}  // namespace cartan::system
