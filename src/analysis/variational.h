// A System together with columns that its flow carries along:
//
//   x' = f(t, x; p),   S' = (df/dx) S + (0 | df/dp)
//
// in embedded numbers, exact derivatives. The last columns are sensitivities to parameters, the
// others derivatives by initial values. Quadratures of the System are left out. Columns of
// parameters may be measured in units: S = dx/dp * unit, so that all columns are of similar size
// and a tolerance means the same for each.
#pragma once

#include <vector>

#include "system/column_carrier.h"

namespace cartan {

class VariationalSystem final : public System {
 public:
  // `columns` in all, the last of them for the parameters. The system must outlive this one.
  // `units` of the parameters, empty: 1.
  VariationalSystem(const System& base, int columns, std::vector<int> parameters,
                    std::vector<double> units = {});

  int columns() const { return columns_; }
  const StateSpace& space() const override { return space_; }
  State initial_state() const override;  // of the base, all columns zero
  std::unique_ptr<Workspace> make_workspace() const override;
  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override;
  // Without d(df/dx S)/dx: enough for the simplified Newton iterations of implicit methods, which
  // are the only ones that ask; their results do not depend on it.
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;
  // Those of the base, once asked for.
  void follow_events() { events_ = base_.events(); }
  const std::vector<EventInfo>& events() const override { return events_; }
  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override;
  int turn_entries() const override { return base_.turn_entries(); }
  std::string count_turns(StateView at, double length, std::span<int> turns,
                          Workspace& workspace) const override;
  std::string component_name(int i) const override;

 private:
  void carry(StateView base_at, StateView at, std::span<double> xdot, Workspace& workspace) const;

  const System& base_;
  int n_;  // embedded numbers of the base without quadratures
  int columns_;
  std::vector<int> parameters_;
  std::vector<double> units_;     // one per parameter
  const ColumnCarrier* carrier_;  // of the base, where all columns belong to parameters
  StateSpace space_;
  std::vector<EventInfo> events_;
};

}  // namespace cartan
