#include "analysis/sensitivity.h"

#include <algorithm>

#include "analysis/tangents.h"

namespace cartan::analysis {

using Eigen::MatrixXd;
using Eigen::VectorXd;

SensitivitySystem::SensitivitySystem(const System& base, std::vector<int> parameters,
                                     std::vector<double> units)
    : VariationalSystem(base, static_cast<int>(parameters.size()), parameters, std::move(units)) {}

State SensitivitySystem::make_state(const State& base_state, const MatrixXd& by_parameters) const {
  const MatrixXd columns = by_parameters * units_.asDiagonal();
  State state = base_state;
  state.x.resize(n_);
  state.x.insert(state.x.end(), columns.data(), columns.data() + columns.size());
  return state;
}

Eigen::Map<const MatrixXd> SensitivitySystem::columns(std::span<const double> x) const {
  return {x.data() + n_, n_, columns_};
}

// Positions and speeds by the base; derivatives keep the linearised constraints.
Projection SensitivitySystem::project(State& state, Workspace& workspace) const {
  const Projection done = ExtendedSystem::project(state, workspace);
  if (!done.problem.empty()) return done;
  Workspace& base = base_workspace(workspace);
  const State inner = outside(state);
  const StateSpace& space = base_.space();
  const int m = tangent_numbers(base_), k = static_cast<int>(parameters_.size());
  MatrixXd columns(m, k);
  std::vector<double> rate(space.size(), 0.0), xi(space.tangent_size());
  for (int j = 0; j < k; ++j) {
    std::copy_n(state.x.begin() + n_ + j * n_, n_, rate.begin());
    space.to_tangent(inner.x, rate, xi);
    columns.col(j) = Eigen::Map<const VectorXd>(xi.data(), m) / units_(j);
  }
  keep_allowed(base_, inner, parameters_, columns, base);
  Eigen::Map<MatrixXd>(state.x.data() + n_, n_, k) =
      tangent_map(base_, inner.x) * columns * units_.asDiagonal();
  return done;
}

}  // namespace cartan::analysis
