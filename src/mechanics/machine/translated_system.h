// A formulation whose state is another way to write that of an inner one: matrices of rotation
// beside quaternions, momenta beside speeds. It gives its space, its rates and their Jacobian, and
// the way between the two states; everything else is asked of the inner system there.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::mechanics {

struct TranslatedWorkspace : Workspace {
  std::unique_ptr<Workspace> inner;
  State inside;  // the state of the inner system
};

class TranslatedSystem : public MechanicalSystem {
 public:
  explicit TranslatedSystem(std::unique_ptr<MechanicalSystem> inner) : inner_(std::move(inner)) {}

  // ---- the start

  const Model& model() const override { return inner_->model(); }
  int quadratures() const override { return inner_->quadratures(); }
  const AssemblyReport& assembly() const override { return inner_->assembly(); }
  void set_baumgarte(double rate) override { inner_->set_baumgarte(rate); }
  State initial_state() const override { return outwards(inner_->initial_state()); }
  State make_state(double t, const std::vector<std::optional<std::vector<double>>>& q,
                   const std::vector<std::optional<std::vector<double>>>& v) const override {
    return outwards(inner_->make_state(t, q, v));
  }
  AssemblyReport assemble(State& state, const WrittenStart& written,
                          Workspace& workspace) const override {
    State inner = inwards(state, workspace);
    const AssemblyReport report = inner_->assemble(inner, written, scratch(workspace));
    if (report.problem.empty()) state = outwards(inner);
    return report;
  }

  // ---- events: they change nothing but the mode

  const std::vector<EventInfo>& events() const override { return inner_->events(); }
  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override {
    inner_->event_values(inwards(at, workspace), values, scratch(workspace));
  }
  bool handle_event(int which, State& state, Workspace& workspace) const override {
    State& inner = inwards(state, workspace);
    if (!inner_->handle_event(which, inner, scratch(workspace))) return false;
    state.mode = inner.mode;
    return true;
  }
  // Slopes of events are known by the numbers of the inner state only.
  std::string jump_slope(int, StateView, StateView, std::span<const int>, JumpSlope&,
                         Workspace&) const override {
    return "derivatives across events are not known in this formulation; use recursive, "
           "moving-frame or absolute-so3r3";
  }
  int turn_entries() const override { return inner_->turn_entries(); }
  std::string count_turns(StateView at, double length, std::span<int> turns,
                          Workspace& workspace) const override {
    if (turns.empty()) return "";
    return inner_->count_turns(inwards(at, workspace), length, turns, scratch(workspace));
  }

  // ---- reports

  void observe(StateView at, Observation& result, Workspace& workspace) const override {
    inner_->observe(inwards(at, workspace), result, scratch(workspace));
  }
  DynamicsReport report_dynamics(StateView at, Workspace& workspace) const override {
    return inner_->report_dynamics(inwards(at, workspace), scratch(workspace));
  }
  std::vector<AppliedWrench> report_forces(StateView at, Workspace& workspace) const override {
    return inner_->report_forces(inwards(at, workspace), scratch(workspace));
  }
  MassMatrixReport report_mass_matrix(StateView at, Workspace& workspace) const override {
    return inner_->report_mass_matrix(inwards(at, workspace), scratch(workspace));
  }
  MovingFrameReport report_moving_frame(StateView at, Workspace& workspace) const override {
    return inner_->report_moving_frame(inwards(at, workspace), scratch(workspace));
  }
  InverseForces calc_inverse_dynamics(StateView at, std::span<const double> vdot,
                                      Workspace& workspace) const override {
    return inner_->calc_inverse_dynamics(inwards(at, workspace), vdot, scratch(workspace));
  }
  ConstraintReport report_constraints(StateView at, Workspace& workspace) const override {
    return inner_->report_constraints(inwards(at, workspace), scratch(workspace));
  }
  void constraint_violations(StateView at, std::vector<double>& positions,
                             std::vector<double>& speeds, Workspace& workspace) const override {
    inner_->constraint_violations(inwards(at, workspace), positions, speeds, scratch(workspace));
  }
  std::string explain_failure(StateView at, Workspace& workspace) const override {
    return inner_->explain_failure(inwards(at, workspace), scratch(workspace));
  }
  std::string explain_singularity(StateView at, Workspace& workspace) const override {
    return inner_->explain_singularity(inwards(at, workspace), scratch(workspace));
  }
  std::string find_dependent_friction(StateView at, Workspace& workspace) const override {
    return inner_->find_dependent_friction(inwards(at, workspace), scratch(workspace));
  }

 protected:
  // The state of the inner system, in the workspace; and the state of this one.
  virtual State& inwards(StateView at, Workspace& workspace) const = 0;
  virtual State outwards(const State& inner) const = 0;

  // Workspaces of derived classes are TranslatedWorkspaces, made ready here.
  void prepare(TranslatedWorkspace& workspace) const { workspace.inner = inner_->make_workspace(); }
  static Workspace& scratch(Workspace& workspace) {
    return *static_cast<TranslatedWorkspace&>(workspace).inner;
  }
  MechanicalSystem& inner() { return *inner_; }
  const MechanicalSystem& inner() const { return *inner_; }

 private:
  std::unique_ptr<MechanicalSystem> inner_;
};

}  // namespace cartan::mechanics
