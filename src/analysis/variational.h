// A System together with columns that its flow carries along:
//
//   x' = f(t, x; p),   S' = (df/dx) S + (0 | df/dp)
//
// in embedded numbers, exact derivatives. The last columns are sensitivities to parameters, the
// others derivatives by initial values. Quadratures of the System are left out. Columns of
// parameters may be measured in units: S = dx/dp * unit, so that all columns are of similar size
// and a tolerance means the same for each.
//
// Across an event at time tau, x+ = R(t, x-; p) where h(t, x; p) = 0, columns change by
//   S+ = R_x S- + R_p + (R_x f- + R_t - f+) dtau,   dtau = -(h_x S- + h_p) / (h_x f- + h_t)
// so that derivatives are exact through impacts, opening, sticking and jumps. Where h_x f- + h_t =
// 0 the motion grazes and has none. Across infinitely many impacts they are the limit.
#pragma once

#include <vector>

#include "analysis/extended_system.h"
#include "system/column_carrier.h"

namespace cartan::analysis {

class VariationalSystem : public ExtendedSystem {
 public:
  // `columns` in all, the last of them for the parameters. The system must outlive this one.
  // `units` of the parameters, empty: 1.
  VariationalSystem(const System& base, int columns, std::vector<int> parameters,
                    std::vector<double> units = {});

  int columns() const { return columns_; }
  std::unique_ptr<Workspace> make_workspace() const override;
  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override;
  // Without d(df/dx S)/dx: enough for the simplified Newton iterations of implicit methods, which
  // are the only ones that ask; their results do not depend on it.
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override;
  int parameter_count() const override { return 0; }
  int constraint_count() const override { return 0; }
  bool constrained() const override { return false; }

  // How the time of an event changes with each column at a state where its function crosses zero;
  // false where it only touches. `base`: a workspace of the base.
  bool event_time_slope(int event, StateView at, Eigen::VectorXd& slope, Workspace& base) const;
  // The columns go along; JumpNotes::problem says where they cannot.
  bool handle_event(int which, State& state, Workspace& workspace) const override;
  bool settle(State& state, Workspace& workspace) const override;
  void close_contacts(std::span<const int> contacts, State& state,
                      Workspace& workspace) const override;
  std::string jump_slope(int, StateView, StateView, std::span<const int>, JumpSlope&,
                         Workspace&) const override {
    return "second derivatives are not taken";
  }

 protected:
  std::string name_more(int j) const override {
    return "derivative " + std::to_string(j / n_) + " of " + base_.component_name(j % n_);
  }

  int columns_;
  std::vector<int> parameters_;
  Eigen::VectorXd units_;  // one per parameter

 private:
  void carry(StateView base_at, StateView at, std::span<double> xdot, Workspace& workspace) const;
  std::string carry_across(int which, const State& before, const Eigen::VectorXd* when,
                           State& state, Workspace& base) const;
  int find_meeting(int contact, const State& at, Workspace& base) const;

  const ColumnCarrier* carrier_;  // of the base, where all columns belong to parameters
};

}  // namespace cartan::analysis
