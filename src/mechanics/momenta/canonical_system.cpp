#include "mechanics/momenta/canonical_system.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/parameter_seeds.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/momenta/canonical.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_report.h"
#include "mechanics/tree/tree_system.h"

namespace cartan {
namespace {

struct CanonicalSystemWorkspace : Workspace {
  CanonicalWorkspace<double> motion;
  std::optional<CanonicalWorkspace<Dual4>> dual;  // made at the first Jacobian
  std::vector<Dual4> dual_x, dual_xdot;
  std::optional<CanonicalWorkspace<Pack4>> pack;  // made at the first evaluation of several points
  std::vector<Pack4> pack_x, pack_xdot;
  SeededMechanisms<CanonicalWorkspace<Dual4>> seeded;  // for derivatives by parameters
  std::unique_ptr<Workspace> tree;                     // of the system in speeds
  State in_speeds;
};

// Everything but the motion itself is asked of the same mechanism in speeds, at (q, v(q, p)).
class CanonicalSystem final : public MechanicalSystem {
 public:
  CanonicalSystem(const Model& model, const std::vector<double>& parameters)
      : parameters_(parameters),
        tree_(make_tree_system(model, parameters,
                               {"canonical", solve_accelerations<double>,
                                solve_accelerations<Dual4>, solve_accelerations<Pack4>})),
        mechanism_(make_with_constants<double>(model, parameters)),
        dual_mechanism_(make_with_constants<Dual4>(model, parameters)),
        pack_mechanism_(make_with_constants<Pack4>(model, parameters)),
        work_(make_work_split(mechanism_)) {
    const State start = tree_->initial_state();
    MotionWorkspace<double> ws = make_motion_workspace(mechanism_);
    fill_kinematics<double>(mechanism_, start.t, start.x.data(), start.x.data() + mechanism_.nq,
                            ws);
    unit_ = calc_momentum_unit(mechanism_, ws);
  }

  const StateSpace& space() const override { return tree_->space(); }
  int quadratures() const override { return tree_->quadratures(); }
  const Model& model() const override { return tree_->model(); }
  std::string formulation() const override { return "canonical"; }
  const std::vector<EventInfo>& events() const override { return tree_->events(); }
  const AssemblyReport& assembly() const override { return tree_->assembly(); }
  AssemblyReport assemble(State&, const WrittenStart&, Workspace&) const override { return {}; }
  void set_baumgarte(double) override {}  // there are no constraints
  std::string split_work() override {
    const std::string problem = tree_->split_work();
    work_.split = tree_->quadratures() > 1;
    return problem;
  }
  std::string find_dependent_friction(StateView, Workspace&) const override { return ""; }
  std::string explain_singularity(StateView, Workspace&) const override { return ""; }

  State initial_state() const override { return in_momenta(tree_->initial_state()); }
  State make_state(double t, const std::vector<std::optional<std::vector<double>>>& q,
                   const std::vector<std::optional<std::vector<double>>>& v) const override {
    return in_momenta(tree_->make_state(t, q, v));
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<CanonicalSystemWorkspace>();
    workspace->motion = make_canonical_workspace(mechanism_, unit_);
    workspace->tree = tree_->make_workspace();
    return workspace;
  }

  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    ++w.evaluations;
    set_mode(at.mode, w.motion);
    calc_rates(mechanism_, at.t, at.x.data(), xdot.data(), w.motion);
  }

  void derivatives(std::span<const double> times, std::span<const double> x,
                   std::span<const int> mode, std::span<double> xdot,
                   Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    if (times.size() == 1) return derivative({times[0], x, mode}, xdot, workspace);
    if (!w.pack) w.pack = make_canonical_workspace(pack_mechanism_, unit_);
    w.evaluations += static_cast<long>(times.size());
    set_mode(mode, *w.pack);
    evaluate_in_packs(times, x, xdot, w.pack_x, w.pack_xdot,
                      [&](const Pack4& t, const Pack4* at, Pack4* rates) {
                        calc_rates(pack_mechanism_, t, at, rates, *w.pack);
                      });
  }

  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    ++w.jacobians;
    if (!w.dual) w.dual = make_canonical_workspace(dual_mechanism_, unit_);
    set_mode(at.mode, *w.dual);
    differentiate_columns(at.x, mechanism_.state_size(), J, w.dual_x, w.dual_xdot,
                          [&](const Dual4* x, Dual4* xdot) {
                            calc_rates(dual_mechanism_, Dual4(at.t), x, xdot, *w.dual);
                          });
  }

  int parameter_count() const override { return static_cast<int>(parameters_.size()); }
  void parameter_jacobian(StateView at, std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    w.seeded.prepare(
        model(), parameters_, which,
        [&](const std::vector<Dual4>& p) { return make_mechanism<Dual4>(model(), p); },
        [&](const Mechanism<Dual4>& m) { return make_canonical_workspace(m, unit_); });
    w.dual_x.assign(at.x.begin(), at.x.end());
    w.dual_xdot.resize(at.x.size());
    w.seeded.fill_columns(J, [&](const auto& mechanism, auto& scratch) {
      set_mode(at.mode, scratch);
      calc_rates(mechanism, Dual4(at.t), w.dual_x.data(), w.dual_xdot.data(), scratch);
      return std::span<const Dual4>(w.dual_xdot);
    });
  }

  double turn(int i) const override { return tree_->turn(i); }
  std::string component_name(int i) const override {
    std::string name = tree_->component_name(i);
    if (i >= mechanism_.nq && i < mechanism_.nq + mechanism_.nv) name[name.rfind(".v") + 1] = 'p';
    return name;
  }

  void observe(StateView at, Observation& result, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    tree_->observe(in_speeds(at, w), result, *w.tree);
    const double *p = at.x.data() + mechanism_.nq, *v = w.motion.v.data();
    double kinetic = 0;
    for (int j = 0; j < mechanism_.nv; ++j) kinetic += 0.5 * unit_ * p[j] * v[j];
    result.p.resize(model().joints.size());
    for (std::size_t j = 0; j < result.p.size(); ++j) {
      const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[j]];
      result.p[j].resize(link.nv);
      for (int k = 0; k < link.nv; ++k) result.p[j][k] = unit_ * p[link.v0 + k];
    }
    result.hamiltonian = kinetic + result.potential;
  }

  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    tree_->event_values(in_speeds(at, w), values, *w.tree);
  }
  bool handle_event(int which, State& state, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    State moving = in_speeds(state, w);
    if (!tree_->handle_event(which, moving, *w.tree)) return false;
    state.mode = moving.mode;
    return true;
  }
  int turn_entries() const override { return tree_->turn_entries(); }
  std::string count_turns(StateView at, double length, std::span<int> turns,
                          Workspace& workspace) const override {
    if (turns.empty()) return "";
    CanonicalSystemWorkspace& w = own(workspace);
    return tree_->count_turns(in_speeds(at, w), length, turns, *w.tree);
  }
  DynamicsReport report_dynamics(StateView at, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    return tree_->report_dynamics(in_speeds(at, w), *w.tree);
  }
  std::vector<AppliedWrench> report_forces(StateView at, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    return tree_->report_forces(in_speeds(at, w), *w.tree);
  }
  MassMatrixReport report_mass_matrix(StateView at, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    return tree_->report_mass_matrix(in_speeds(at, w), *w.tree);
  }
  MovingFrameReport report_moving_frame(StateView at, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    return tree_->report_moving_frame(in_speeds(at, w), *w.tree);
  }
  InverseForces calc_inverse_dynamics(StateView at, std::span<const double> vdot,
                                      Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    return tree_->calc_inverse_dynamics(in_speeds(at, w), vdot, *w.tree);
  }
  ConstraintReport report_constraints(StateView at, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    return tree_->report_constraints(in_speeds(at, w), *w.tree);
  }
  void constraint_violations(StateView at, std::vector<double>& positions,
                             std::vector<double>& speeds, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    tree_->constraint_violations(in_speeds(at, w), positions, speeds, *w.tree);
  }

 private:
  template <class S>
  static void set_mode(std::span<const int> mode, CanonicalWorkspace<S>& ws) {
    std::copy(mode.begin(), mode.end(), ws.motion.mode.begin());
  }
  static CanonicalSystemWorkspace& own(Workspace& workspace) {
    return static_cast<CanonicalSystemWorkspace&>(workspace);
  }

  template <class S>
  void calc_rates(const Mechanism<S>& mechanism, const S& t, const S* x, S* xdot,
                  CanonicalWorkspace<S>& w) const {
    calc_canonical_rates(mechanism, t, x, xdot, w);
    if (work_.split) calc_powers(mechanism, w.motion, work_, xdot + mechanism.state_size());
  }

  // (q, p, z[, work]) -> (q, v, z[, work])
  const State& in_speeds(StateView at, CanonicalSystemWorkspace& w) const {
    solve_speeds(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq, w.motion);
    w.in_speeds.t = at.t;
    w.in_speeds.x.assign(at.x.begin(), at.x.end());
    w.in_speeds.mode.assign(at.mode.begin(), at.mode.end());
    std::copy(w.motion.v.begin(), w.motion.v.end(), w.in_speeds.x.begin() + mechanism_.nq);
    return w.in_speeds;
  }

  // (q, v, z[, work]) -> (q, p, z[, work])
  State in_momenta(State state) const {
    CanonicalWorkspace<double> w = make_canonical_workspace(mechanism_, unit_);
    double* v = state.x.data() + mechanism_.nq;
    fill_kinematics<double>(mechanism_, state.t, state.x.data(), v, w.motion);
    fill_momenta(mechanism_, w);
    calc_joint_momenta(mechanism_, w, v);
    return state;
  }

  std::vector<double> parameters_;
  std::unique_ptr<MechanicalSystem> tree_;
  Mechanism<double> mechanism_;
  Mechanism<Dual4> dual_mechanism_;
  Mechanism<Pack4> pack_mechanism_;
  WorkSplit work_;
  double unit_ = 1;  // of the momenta (canonical.h)
};

}  // namespace

std::string refuse_canonical(const Model& model) {
  constexpr const char* reason =
      "the momenta of 'canonical' belong to independent joint speeds, and there are no "
      "multipliers; "
      "use 'recursive'";
  if (!model.loop_joints.empty())
    return fmt::format("joint '{}' closes a loop: {}", model.joints[model.loop_joints[0]].name,
                       reason);
  if (!model.constraints.empty())
    return fmt::format("constraint '{}': {}", model.constraints[0].name, reason);
  for (const Force& force : model.forces) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    if (friction && !friction->smoothing.given())
      return fmt::format(
          "friction '{}': a joint that sticks has no momentum of its own in 'canonical'; give "
          "'smoothing' or use 'recursive'",
          force.name);
  }
  return "";
}

std::unique_ptr<MechanicalSystem> make_canonical_system(const Model& model,
                                                        std::vector<double> parameters) {
  return std::make_unique<CanonicalSystem>(model, parameters);
}

}  // namespace cartan
