// A model's equations in local coordinates of its state (analysis/control/state_charts.h), ready to
// become compiled functions of (y, u, t) and numbers.
#pragma once

#include "analysis/control/state_charts.h"
#include "codegen/derivation.h"
#include "results/design/map_compiler.h"

namespace cartan::results {

class ChartedDerivation {
 public:
  ChartedDerivation(const Model& model, const State& at, const StateCharts& charts,
                    const std::vector<std::string>& inputs);

  Derivation& derivation() { return derivation_; }
  ExpressionGraph& graph() { return derivation_.graph(); }
  const Expressions& y() const { return y_; }
  const Expressions& u() const { return u_; }
  const Expressions& base() const { return base_; }
  const Expressions& other_base() const { return other_base_; }
  const Expressions& parameters() const { return parameters_; }  // those that are no inputs; not
  std::vector<double> parameter_values() const;                  // empty
  const Expressions& state() const { return x_; }                // embedded symbols
  // The state as functions of y; a quaternion without its length.
  const Expressions& place() const { return place_; }

  // Expressions of the embedded state become ones of y.
  Expressions charted(const Expressions& list);
  // y' from x'.
  Expressions coordinate_rates(const Expressions& rates);
  // y of an embedded state around the other base, whatever the lengths of its quaternions.
  Expressions around_other(const Expressions& x) const;
  // The same expressions at another state and time, with its y.
  Expressions at_another(const Expressions& list, Expressions& other_y, Expression& other_time);

 private:
  const StateCharts& charts_;
  Derivation derivation_;
  Expressions x_, place_, point_, y_, base_, other_base_, u_, parameters_;
};

}  // namespace cartan::results
