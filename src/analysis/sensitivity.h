// A System together with the derivatives of its state by parameters, events and all:
//
//   x' = f(t, x; p),   S = dx/dp,   S' = (df/dx) S + df/dp
//
// exact across turning points, sticking, impacts and jumps (variational.h), kept on the linearised
// constraints.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "analysis/variational.h"

namespace cartan::analysis {

class SensitivitySystem final : public VariationalSystem {
 public:
  // The base must outlive this one. Derivatives are those by p / unit (1 where no units are given).
  SensitivitySystem(const System& base, std::vector<int> parameters,
                    std::vector<double> units = {});

  // x = (numbers of the base without quadratures, S column by column)
  // `by_parameters` without units.
  State make_state(const State& base_state, const Eigen::MatrixXd& by_parameters) const;
  State base_state(StateView at) const { return outside(at); }
  Eigen::Map<const Eigen::MatrixXd> columns(std::span<const double> x) const;

  bool constrained() const override { return base_.constrained(); }
  Projection project(State& state, Workspace& workspace) const override;
};

}  // namespace cartan::analysis
