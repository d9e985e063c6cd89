#include "mechanics/momenta/canonical_system.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/parameter_seeds.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/machine/translated_system.h"
#include "mechanics/momenta/canonical.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_report.h"
#include "mechanics/tree/tree_system.h"

namespace cartan::mechanics {
namespace {

struct CanonicalSystemWorkspace : TranslatedWorkspace {
  CanonicalWorkspace<double> motion;
  std::optional<CanonicalWorkspace<Dual4>> dual;  // made at the first Jacobian
  std::vector<Dual4> dual_x, dual_xdot;
  std::optional<CanonicalWorkspace<Pack4>> pack;  // made at the first evaluation of several points
  std::vector<Pack4> pack_x, pack_xdot;
  SeededMechanisms<CanonicalWorkspace<Dual4>> seeded;  // for derivatives by parameters
};

// The inner system is the same mechanism in speeds.
class CanonicalSystem final : public TranslatedSystem {
 public:
  CanonicalSystem(const Model& model, const std::vector<double>& parameters)
      : TranslatedSystem(
            make_tree_system(model, parameters,
                             {"canonical", solve_accelerations<double>, solve_accelerations<Dual4>,
                              solve_accelerations<Pack4>})),
        parameters_(parameters),
        mechanism_(make_with_constants<double>(model, parameters)),
        dual_mechanism_(make_with_constants<Dual4>(model, parameters)),
        pack_mechanism_(make_with_constants<Pack4>(model, parameters)),
        work_(make_work_split(mechanism_)) {
    const State start = inner().initial_state();
    MotionWorkspace<double> ws = make_motion_workspace(mechanism_);
    fill_kinematics<double>(mechanism_, start.t, start.x.data(), start.x.data() + mechanism_.nq,
                            ws);
    unit_ = calc_momentum_unit(mechanism_, ws);
  }

  const StateSpace& space() const override { return inner().space(); }
  std::string formulation() const override { return "canonical"; }
  std::string split_work() override {
    const std::string problem = inner().split_work();
    work_.split = inner().quadratures() > 1;
    return problem;
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<CanonicalSystemWorkspace>();
    workspace->motion = make_canonical_workspace(mechanism_, unit_);
    prepare(*workspace);
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

  double turn(int i) const override { return inner().turn(i); }
  std::string component_name(int i) const override {
    std::string name = inner().component_name(i);
    if (i >= mechanism_.nq && i < mechanism_.nq + mechanism_.nv) name[name.rfind(".v") + 1] = 'p';
    return name;
  }

  void observe(StateView at, Observation& result, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    TranslatedSystem::observe(at, result, workspace);
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
  State& inwards(StateView at, Workspace& workspace) const override {
    CanonicalSystemWorkspace& w = own(workspace);
    solve_speeds(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq, w.motion);
    w.inside.t = at.t;
    w.inside.x.assign(at.x.begin(), at.x.end());
    w.inside.mode.assign(at.mode.begin(), at.mode.end());
    std::copy(w.motion.v.begin(), w.motion.v.end(), w.inside.x.begin() + mechanism_.nq);
    return w.inside;
  }

  // (q, v, z[, work]) -> (q, p, z[, work])
  State outwards(const State& in_speeds) const override {
    State state = in_speeds;
    CanonicalWorkspace<double> w = make_canonical_workspace(mechanism_, unit_);
    double* v = state.x.data() + mechanism_.nq;
    fill_kinematics<double>(mechanism_, state.t, state.x.data(), v, w.motion);
    fill_momenta(mechanism_, w);
    calc_joint_momenta(mechanism_, w, v);
    return state;
  }

  std::vector<double> parameters_;
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

}  // namespace cartan::mechanics
