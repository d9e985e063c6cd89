#include "dynamics/tree_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/dense.h"
#include "dynamics/assembly.h"
#include "dynamics/constraints.h"
#include "dynamics/discrete_motion.h"
#include "dynamics/expression_inputs.h"
#include "dynamics/forces.h"
#include "dynamics/joint_motion.h"
#include "dynamics/mechanism_geometry.h"
#include "dynamics/moving_frame.h"
#include "dynamics/parameter_seeds.h"
#include "dynamics/projection.h"
#include "dynamics/recursive.h"
#include "dynamics/second_order_motion.h"
#include "dynamics/several_points.h"
#include "dynamics/state_expression.h"
#include "dynamics/tree_report.h"
#include "model/mass_properties.h"

namespace cartan {
namespace {

struct TreeWorkspace : Workspace {
  MotionWorkspace<double> motion;
  std::optional<MotionWorkspace<Dual4>> dual;  // made at the first Jacobian
  std::vector<Dual4> dual_x, dual_xdot, dual_rows;
  std::optional<MotionWorkspace<Pack4>> pack;  // made at the first evaluation of several points
  std::vector<Pack4> pack_x, pack_xdot;
  SeededMechanisms<MotionWorkspace<Dual4>> seeded;  // for derivatives by parameters
  std::vector<double> margins, direction;
  double choose_below = 1e-3;  // least pivot at which the rows are chosen anew

  // of the last evaluation
  double least_pivot() const {
    const double other = pack ? pack->fronts.least_pivot : 1;
    return std::min(motion.fronts.least_pivot, other);
  }
};

class TreeSystem final : public MechanicalSystem {
 public:
  TreeSystem(const Model& model, std::vector<double> parameters, const TreeFormulation& formulation)
      : model_(model), formulation_(formulation), parameters_(std::move(parameters)) {
    mechanism_ = make_with_constants<double>(model, parameters_);
    dual_mechanism_ = make_with_constants<Dual4>(model, parameters_);
    pack_mechanism_ = make_with_constants<Pack4>(model, parameters_);
    if (formulation.absolute) {
      set_absolute(mechanism_);
      set_absolute(dual_mechanism_);
      set_absolute(pack_mechanism_);
    }
    make_space();
    second_order_.emplace(mechanism_, dual_mechanism_, formulation.solve, formulation.solve_dual,
                          [this](Workspace& workspace) { return both_scratches(workspace); });
    for (const Event& e : model.events) {
      events_.push_back({e.name, e.direction, e.stop, false});
      event_needs_energy_ |= e.when.program.depends_on(Quantity::kinetic) ||
                             e.when.program.depends_on(Quantity::potential);
    }
    for (int k = 0; k < mechanism_.mode_count; ++k)
      events_.push_back({"friction " + std::to_string(k), -1, false, true});
    if (!mechanism_.absolute)
      geometry_ = make_mechanism_geometry(mechanism_, dual_mechanism_, scratch());
    discrete_ = make_discrete_motion(mechanism_, dual_mechanism_);
    start();
  }

  const StateSpace& space() const override { return space_; }
  int quadratures() const override { return mechanism_.has_power ? 1 : 0; }
  const Model& model() const override { return model_; }
  std::string formulation() const override { return formulation_.name; }
  const std::vector<EventInfo>& events() const override { return events_; }

  State initial_state() const override { return initial_; }
  const AssemblyReport& assembly() const override { return assembly_; }
  bool constrained() const override { return !mechanism_.rows.empty(); }
  void set_baumgarte(double rate) override {
    mechanism_.baumgarte = rate;
    dual_mechanism_.baumgarte = rate;
    pack_mechanism_.baumgarte = rate;
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<TreeWorkspace>();
    workspace->motion = make_motion_workspace(mechanism_);
    workspace->margins.resize(mechanism_.mode_count);
    return workspace;
  }

  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override {
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    ++w.evaluations;
    evaluate(mechanism_, formulation_.solve, at.t, at.x.data(), at.mode, xdot.data(), w.motion);
  }

  // Points side by side, one per lane: the stages of an implicit step cost little more than one.
  void derivatives(std::span<const double> times, std::span<const double> x,
                   std::span<const int> mode, std::span<double> xdot,
                   Workspace& workspace) const override {
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    if (times.size() == 1) return derivative({times[0], x, mode}, xdot, workspace);
    if (!w.pack) w.pack = make_motion_workspace(pack_mechanism_);
    w.evaluations += static_cast<long>(times.size());
    evaluate_in_packs(
        times, x, xdot, w.pack_x, w.pack_xdot, [&](const Pack4& t, const Pack4* at, Pack4* rates) {
          evaluate(pack_mechanism_, formulation_.solve_pack, t, at, mode, rates, *w.pack);
        });
  }

  const DiscreteMechanics* discrete_mechanics() const override { return discrete_.get(); }

  int kinematic_size() const override { return mechanism_.nq; }
  void kinematic_rates(StateView at, std::span<double> rates, Workspace&) const override {
    const double *q = at.x.data(), *v = q + mechanism_.nq;
    for (const Link<double>& link : mechanism_.links)
      calc_coordinate_rates(link, q + link.q0, v + link.v0, rates.data() + link.q0);
  }

  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override {
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    ++w.jacobians;
    if (!w.dual) w.dual = make_motion_workspace(dual_mechanism_);
    differentiate_columns(at.x, mechanism_.nq + mechanism_.nv, J, w.dual_x, w.dual_xdot,
                          [&](const Dual4* x, Dual4* xdot) {
                            evaluate(dual_mechanism_, formulation_.solve_dual, Dual4(at.t), x,
                                     at.mode, xdot, *w.dual);
                          });
  }

  int parameter_count() const override { return static_cast<int>(parameters_.size()); }
  void parameter_jacobian(StateView at, std::span<const int> which, Eigen::Ref<Eigen::MatrixXd> J,
                          Workspace& workspace) const override {
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    seed_mechanisms(which, w);
    w.dual_x.assign(at.x.begin(), at.x.end());
    w.dual_xdot.resize(at.x.size());
    w.seeded.fill_columns(J, [&](const Mechanism<Dual4>& mechanism, MotionWorkspace<Dual4>& ws) {
      evaluate(mechanism, formulation_.solve_dual, Dual4(at.t), w.dual_x.data(), at.mode,
               w.dual_xdot.data(), ws);
      return std::span<const Dual4>(w.dual_xdot);
    });
  }

  int constraint_count() const override { return 2 * mechanism_.row_count(); }
  void constraint_jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> C,
                           Workspace& workspace) const override {
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    if (!w.dual) w.dual = make_motion_workspace(dual_mechanism_);
    const int varying = mechanism_.nq + mechanism_.nv, rows = constraint_count();
    w.dual_x.assign(at.x.begin(), at.x.end());
    C.setZero();
    for (int first = 0; first < varying; first += 4) {
      const int count = std::min(4, varying - first);
      for (int k = 0; k < count; ++k) w.dual_x[first + k] = Dual4::variable(at.x[first + k], k);
      const std::span<const Dual4> c = constraint_values(dual_mechanism_, at, w.dual_x, w, *w.dual);
      for (int k = 0; k < count; ++k) {
        for (int i = 0; i < rows; ++i) C(i, first + k) = c[i].d[k];
        w.dual_x[first + k] = at.x[first + k];
      }
    }
  }
  void constraint_parameter_jacobian(StateView at, std::span<const int> which,
                                     Eigen::Ref<Eigen::MatrixXd> C,
                                     Workspace& workspace) const override {
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    seed_mechanisms(which, w);
    w.dual_x.assign(at.x.begin(), at.x.end());
    w.seeded.fill_columns(C, [&](const Mechanism<Dual4>& mechanism, MotionWorkspace<Dual4>& ws) {
      return constraint_values(mechanism, at, w.dual_x, w, ws);
    });
  }

  double turn(int i) const override {
    for (const Link<double>& link : mechanism_.links) {
      const int k = i - link.q0;
      if (k < 0 || k >= link.nq || i >= mechanism_.nq) continue;
      const bool angle = link.type == JointType::revolute || link.type == JointType::universal ||
                         (link.type == JointType::cylindrical && k == 0) ||
                         (link.type == JointType::planar && k == 2);
      return angle ? 2 * pi : 0;
    }
    return 0;
  }
  const SecondOrderForm* second_order() const override { return &*second_order_; }

  void event_values(StateView at, std::span<double> values, Workspace& workspace) const override {
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    const std::span<const int> friction = at.mode.first(mechanism_.mode_count);
    const bool any_stuck = std::find(friction.begin(), friction.end(), 0) != friction.end();
    if (any_stuck)
      solve_at(at, w.motion);
    else
      kinematics_at(at, w.motion);
    if (event_needs_energy_) fill_energies(w.motion);
    const std::size_t own = model_.events.size();
    for (std::size_t k = 0; k < own; ++k)
      evaluate_program(mechanism_, w.motion, model_.events[k].when.program, &values[k]);
    calc_friction_margins<double>(mechanism_, w.motion, values.subspan(own));
  }

  void event_slope(int event, StateView at, std::span<const int> parameters, FunctionSlope& slope,
                   Workspace& workspace) const override {
    const int own = static_cast<int>(model_.events.size());
    if (event < own) {
      make_mechanism_function(mechanism_, dual_mechanism_, scratch(), model_.events[event].when)
          ->slope(at, parameters, slope, workspace);
      return;
    }
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    if (!w.dual) w.dual = make_motion_workspace(dual_mechanism_);
    const int component = event - own, varying = mechanism_.nq + mechanism_.nv;
    slope.by_x.assign(at.x.size(), 0.0);
    slope.by_parameters.assign(parameters.size(), 0.0);
    std::vector<Dual4> x(at.x.begin(), at.x.end());
    for (int first = 0; first < varying; first += 4) {
      const int count = std::min(4, varying - first);
      for (int k = 0; k < count; ++k) x[first + k] = Dual4::variable(at.x[first + k], k);
      const Dual4 margin = friction_margin(dual_mechanism_, Dual4(at.t), x, at, component, *w.dual);
      for (int k = 0; k < count; ++k) slope.by_x[first + k] = margin.d[k];
      for (int k = 0; k < count; ++k) x[first + k] = at.x[first + k];
    }
    slope.by_time =
        friction_margin(dual_mechanism_, Dual4::variable(at.t, 0), x, at, component, *w.dual).d[0];
    seed_mechanisms(parameters, w);
    for (std::size_t k = 0; k < parameters.size(); ++k)
      slope.by_parameters[k] = friction_margin(w.seeded.mechanisms[k / 4], Dual4(at.t), x, at,
                                               component, w.seeded.scratch[k / 4])
                                   .d[k % 4];
  }

  bool handle_event(int which, State& state, Workspace& workspace) const override {
    const int component = which - static_cast<int>(model_.events.size());
    if (component < 0) return false;
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    change_friction(mechanism_, friction_state(state), component, w.motion, formulation_.solve);
    return true;
  }

  std::string component_name(int i) const override {
    for (const Link<double>& link : mechanism_.links) {
      const std::string& joint =
          model_.joints[mechanism_.bodies[&link - mechanism_.links.data()].joint].name;
      if (i >= link.q0 && i < link.q0 + link.nq) return joint + ".q" + std::to_string(i - link.q0);
      const int v = i - mechanism_.nq;
      if (v >= link.v0 && v < link.v0 + link.nv) return joint + ".v" + std::to_string(v - link.v0);
    }
    return "work";
  }

  void observe(StateView at, Observation& result, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    kinematics_at(at, ws);
    fill_energies(ws);
    if (!mechanism_.loops.empty()) fill_loop_coordinates(mechanism_, ws);
    fill_observation(mechanism_, ws, result);
    result.position_violation = calc_position_violation(mechanism_, ws);
    result.velocity_violation = calc_velocity_violation(mechanism_, ws);
    result.work = mechanism_.has_power ? at.x.back() : 0;
    result.unit_norm_error = space_.unit_norm_error(at.x);
  }

  DynamicsReport report_dynamics(StateView at, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    solve_at(at, ws);
    return make_dynamics_report(mechanism_, ws);
  }

  MassMatrixReport report_mass_matrix(StateView at, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    solve_at(at, ws);
    return make_mass_matrix_report(mechanism_, ws);
  }

  MovingFrameReport report_moving_frame(StateView at, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    solve_at(at, ws);
    return make_moving_frame_report(mechanism_, ws);
  }

  std::vector<double> calc_inverse_dynamics(StateView at, std::span<const double> vdot,
                                            Workspace& workspace) const override {
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    kinematics_at(at, ws);
    fill_forces(mechanism_, ws);
    std::copy(vdot.begin(), vdot.end(), ws.vdot.begin());
    std::fill(ws.lambda.begin(), ws.lambda.end(), 0.0);
    std::vector<double> tau(mechanism_.nv);
    cartan::calc_inverse_dynamics<double>(mechanism_, ws, tau);
    add_friction_at_accelerations(mechanism_, ws);
    if (mechanism_.loop_friction) cartan::calc_inverse_dynamics<double>(mechanism_, ws, tau);
    if (mechanism_.has_forces)
      for (int j = 0; j < mechanism_.nv; ++j) tau[j] -= ws.tau[j];
    return mechanism_.rows.empty() ? tau : calc_actuator_forces(mechanism_, ws, tau);
  }

  Projection project(State& state, Workspace& workspace) const override {
    Projection result;
    if (mechanism_.rows.empty()) return result;
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    MotionWorkspace<double>& ws = w.motion;
    const double last_pivot = w.least_pivot(), before = energy_at(state, ws);
    set_friction_locks(mechanism_, ws);
    double *q = state.x.data(), *v = q + mechanism_.nq;
    const ProjectionResult done = project_state(mechanism_, state.t, q, v, ws);
    result.position_change = done.position_change;
    result.velocity_change = done.velocity_change;
    result.moved = done.moved;
    if (done.moved) result.energy_change = energy_at(state, ws) - before;
    if (!(done.position_violation < lost_constraint))
      result.problem = describe_gap(state, ws, done.position_violation);
    else
      watch_rows(std::min(last_pivot, done.least_pivot), state, w, result);
    return result;
  }

  // Integration that fails near a singular position fails because of it.
  std::string explain_failure(StateView at, Workspace& workspace) const override {
    if (mechanism_.rows.empty()) return "";
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    kinematics_at(at, ws);
    const RankReport rank = calc_rank(mechanism_, ws);
    if (rank.weakest < 0 || rank.strength > near_singular) return "";
    return fmt::format(
        "close to a singular position: the constraints lose rank at {} (the weakest of them has "
        "{:.2g} of its usual size), and there the motion is not unique",
        row_owner(model_, mechanism_.rows[rank.weakest]), rank.strength);
  }

  std::string find_dependent_friction(StateView at, Workspace& workspace) const override {
    if (mechanism_.rows.empty() || mechanism_.mode_count == 0) return "";
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    kinematics_at(at, ws);
    std::vector<int> speeds, owners;
    for (std::size_t k = 0; k < mechanism_.forces.size(); ++k) {
      const auto* e = std::get_if<Friction<double>>(&mechanism_.forces[k]);
      if (!e || e->smooth) continue;
      const Link<double>& link = mechanism_.links[e->link];
      for (int j = link.v0; j < link.v0 + link.nv; ++j)
        speeds.push_back(j), owners.push_back(static_cast<int>(k));
    }
    const int dependent = find_dependent_speed(mechanism_, ws, speeds);
    return dependent < 0 ? "" : model_.forces[owners[dependent]].name;
  }

  AssemblyReport assemble(State& state, Workspace& workspace) const override {
    if (mechanism_.rows.empty()) return {};
    LoopGuesses none;
    none.q.resize(mechanism_.loops.size());
    none.v.resize(mechanism_.loops.size());
    return assemble_from(state, none, static_cast<TreeWorkspace&>(workspace).motion);
  }

  ConstraintReport report_constraints(StateView at, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    kinematics_at(at, ws);
    const RankReport rank = calc_rank(mechanism_, ws);
    ConstraintReport report;
    report.rows = rank.rows;
    report.rank = rank.rank;
    report.holonomic_rows = rank.holonomic_rows;
    report.holonomic_rank = rank.holonomic_rank;
    report.speeds = mechanism_.nv;
    for (int r = 0; r < rank.rows; ++r) {
      report.owners.push_back(row_owner(model_, mechanism_.rows[r]));
      if (!rank.active[r]) report.redundant_rows.push_back(r);
    }
    return report;
  }

  void constraint_violations(StateView at, std::vector<double>& positions,
                             std::vector<double>& speeds, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
    kinematics_at(at, ws);
    if (!mechanism_.rows.empty()) fill_constraint_positions(mechanism_, ws);
    positions = ws.row_position;
    speeds = ws.row_speed;
  }

  std::string fill_start_slopes(const State& start, std::span<const int> which,
                                const std::vector<bool>& q_given, const std::vector<bool>& v_given,
                                Eigen::Ref<Eigen::MatrixXd> J) const override {
    if (mechanism_.absolute)
      return MechanicalSystem::fill_start_slopes(start, which, q_given, v_given, J);
    constexpr double consistent = 1e-9;
    if (std::max(assembly_.position_change, assembly_.velocity_change) > consistent)
      return fmt::format(
          "the start of the file does not fulfil the constraints (assembly changes it by {:.2g}), "
          "and how that change depends on parameters is not known; write the assembled values into "
          "the file",
          std::max(assembly_.position_change, assembly_.velocity_change));
    fill_file_slopes(which, q_given, v_given, J);
    if (mechanism_.rows.empty()) return "";
    keep_constraints(start, which, J);
    return "";
  }

  std::unique_ptr<StateFunction> make_function(Formula formula) const override {
    if (mechanism_.absolute) return nullptr;
    return make_mechanism_function(mechanism_, dual_mechanism_, scratch(), std::move(formula));
  }
  const MotionGeometry* geometry() const override { return geometry_.get(); }

  // What is missing: the model's initial value, as the assembled start has it.
  State make_state(double t, const std::vector<std::optional<std::vector<double>>>& q,
                   const std::vector<std::optional<std::vector<double>>>& v) const override {
    State state = initial_;
    state.t = t;
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (mechanism_.link_of_joint[j] < 0) continue;
      const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[j]];
      if (j < q.size() && q[j]) std::copy(q[j]->begin(), q[j]->end(), state.x.begin() + link.q0);
      if (j < v.size() && v[j])
        std::copy(v[j]->begin(), v[j]->end(), state.x.begin() + mechanism_.nq + link.v0);
    }
    settle_modes(state);
    return state;
  }

 private:
  static constexpr double lost_constraint = 1e-6;  // a violation projection must get below
  static constexpr double near_singular = 0.05;    // strength of the weakest row
  static constexpr double weak_pivot = 1e-3;       // squared sine at which rows are chosen anew ...
  static constexpr double good_pivot = 1e-2;       // ... and at which they are good again

  // Where other sides of the system find their scratch in its workspace.
  MotionScratch scratch() const {
    MotionScratch scratch;
    scratch.seeded = [this](Workspace& workspace, std::span<const int> which) {
      TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
      seed_mechanisms(which, w);
      return &w.seeded;
    };
    scratch.real = [](Workspace& w) { return &static_cast<TreeWorkspace&>(w).motion; };
    scratch.dual = [this](Workspace& workspace) {
      TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
      if (!w.dual) w.dual = make_motion_workspace(dual_mechanism_);
      return &*w.dual;
    };
    return scratch;
  }

  SecondOrderMotion::Scratch both_scratches(Workspace& workspace) const {
    TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
    if (!w.dual) w.dual = make_motion_workspace(dual_mechanism_);
    return {w.motion, *w.dual, w.dual_x, w.dual_xdot, w.direction};
  }

  // The margin of one component of dry friction (friction.h).
  Dual4 friction_margin(const Mechanism<Dual4>& mechanism, const Dual4& t,
                        const std::vector<Dual4>& x, StateView at, int component,
                        MotionWorkspace<Dual4>& ws) const {
    std::vector<Dual4> rates(x.size()), margins(mechanism.mode_count);
    evaluate(mechanism, formulation_.solve_dual, t, x.data(), at.mode, rates.data(), ws);
    calc_friction_margins<Dual4>(mechanism, ws, margins);
    return margins[component];
  }

  template <class S>
  void set_absolute(Mechanism<S>& mechanism) const {
    mechanism.absolute = true;
    for (std::size_t i = 0; i < mechanism.links.size(); ++i)
      mechanism.links[i].product = formulation_.absolute->product[mechanism.bodies[i].body];
  }

  // d start / d p of the values in the file.
  void fill_file_slopes(std::span<const int> which, const std::vector<bool>& q_given,
                        const std::vector<bool>& v_given, Eigen::Ref<Eigen::MatrixXd> J) const {
    J.setZero();
    for (std::size_t first = 0; first < which.size(); first += 4) {
      const std::vector<Dual4> p = seed_parameters(model_, parameters_, which, first);
      const auto put = [&](int row, const std::vector<Dual4>& values) {
        for (std::size_t i = 0; i < values.size(); ++i)
          for (std::size_t k = first; k < std::min(first + 4, which.size()); ++k)
            J(row + static_cast<int>(i), static_cast<int>(k)) = values[i].d[k - first];
      };
      for (std::size_t j = 0; j < model_.joints.size(); ++j) {
        if (mechanism_.link_of_joint[j] < 0) continue;
        const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[j]];
        if (!(j < q_given.size() && q_given[j]))
          put(link.q0, initial_position<Dual4>(model_.joints[j], p));
        if (!(j < v_given.size() && v_given[j]))
          put(mechanism_.nq + link.v0, initial_velocity<Dual4>(model_.joints[j], p));
      }
    }
  }

  // Changes the columns of J least, measured with the mass matrix, so that they keep the linearised
  // constraints: positions first (dq = N(q) d with d like speeds), then speeds.
  void keep_constraints(const State& start, std::span<const int> which,
                        Eigen::Ref<Eigen::MatrixXd> J) const {
    using Eigen::MatrixXd;
    const auto workspace = make_workspace();
    const int nq = mechanism_.nq, nv = mechanism_.nv, rows = mechanism_.row_count();
    const int k = static_cast<int>(which.size());
    const MatrixXd M = report_mass_matrix(start, *workspace).mass_matrix;
    MatrixXd C(2 * rows, static_cast<int>(start.x.size())), by_p(2 * rows, k);
    constraint_jacobian(start, C, *workspace);
    constraint_parameter_jacobian(start, which, by_p, *workspace);
    MatrixXd N = MatrixXd::Zero(nq, nv);
    for (const Link<double>& link : mechanism_.links)
      for (int c = 0; c < link.nv; ++c) {
        std::vector<double> unit(link.nv, 0.0);
        unit[c] = 1;
        calc_coordinate_rates(link, start.x.data() + link.q0, unit.data(),
                              N.col(link.v0 + c).data() + link.q0);
      }
    const MatrixXd A = C.topRows(rows).leftCols(nq) * N;
    MatrixXd d = N.completeOrthogonalDecomposition().solve(J.topRows(nq));
    correct_least(M, A, by_p.topRows(rows), d);
    J.topRows(nq) = N * d;
    const MatrixXd B = C.bottomRows(rows).middleCols(nq, nv);
    MatrixXd speeds = J.middleRows(nq, nv);
    correct_least(M, B, by_p.bottomRows(rows) + C.bottomRows(rows).leftCols(nq) * J.topRows(nq),
                  speeds);
    J.middleRows(nq, nv) = speeds;
  }

  // d += least change in the norm of M so that A d + rest = 0; rows of A may depend on others.
  static void correct_least(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                            const Eigen::MatrixXd& rest, Eigen::MatrixXd& d) {
    const Eigen::MatrixXd X = M.ldlt().solve(A.transpose());
    d -= X * (A * X).completeOrthogonalDecomposition().solve(A * d + rest);
  }

  void seed_mechanisms(std::span<const int> which, TreeWorkspace& w) const {
    w.seeded.prepare(
        model_, parameters_, which,
        [&](const std::vector<Dual4>& p) {
          Mechanism<Dual4> mechanism = make_mechanism<Dual4>(model_, p);
          if (formulation_.absolute) set_absolute(mechanism);
          return mechanism;
        },
        [&](const Mechanism<Dual4>& m) { return make_motion_workspace(m); });
    for (Mechanism<Dual4>& mechanism : w.seeded.mechanisms)
      mechanism.baumgarte = dual_mechanism_.baumgarte;
  }

  // g of all rows (zero where there is none), then y - b of all rows.
  static std::span<const Dual4> constraint_values(const Mechanism<Dual4>& mechanism, StateView at,
                                                  const std::vector<Dual4>& x, TreeWorkspace& w,
                                                  MotionWorkspace<Dual4>& ws) {
    std::copy(at.mode.begin(), at.mode.end(), ws.mode.begin());
    fill_kinematics<Dual4>(mechanism, Dual4(at.t), x.data(), x.data() + mechanism.nq, ws);
    if (!mechanism.rows.empty()) fill_constraint_positions(mechanism, ws);
    w.dual_rows.assign(ws.row_position.begin(), ws.row_position.end());
    w.dual_rows.insert(w.dual_rows.end(), ws.row_speed.begin(), ws.row_speed.end());
    return w.dual_rows;
  }

  // The file's values, made consistent.
  void start() {
    State& state = initial_;
    if (formulation_.absolute) {
      state = formulation_.absolute->start;
      return;
    }
    state.x.assign(space_.size(), 0.0);
    state.mode.assign(mechanism_.mode_count + mechanism_.rows.size(), 1);
    LoopGuesses guesses;
    guesses.q.resize(mechanism_.loops.size());
    guesses.v.resize(mechanism_.loops.size());
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      const int i = mechanism_.link_of_joint[j];
      const std::vector<double> q = initial_position<double>(joint, parameters_);
      const std::vector<double> v = initial_velocity<double>(joint, parameters_);
      if (i < 0) {
        const int l = mechanism_.loop_of_joint[j];
        if (joint.position_given) guesses.q[l] = q;
        if (joint.velocity_given) guesses.v[l] = v;
        continue;
      }
      const Link<double>& link = mechanism_.links[i];
      std::copy(q.begin(), q.end(), state.x.begin() + link.q0);
      std::copy(v.begin(), v.end(), state.x.begin() + mechanism_.nq + link.v0);
    }
    if (!mechanism_.rows.empty()) {
      MotionWorkspace<double> ws = make_motion_workspace(mechanism_);
      assembly_ = assemble_from(state, guesses, ws);
      if (!assembly_.problem.empty()) return;
    }
    settle_modes(state);
  }

  AssemblyReport assemble_from(State& state, const LoopGuesses& guesses,
                               MotionWorkspace<double>& ws) const {
    const std::span<double> q(state.x.data(), mechanism_.nq);
    const std::span<double> v(state.x.data() + mechanism_.nq, mechanism_.nv);
    std::copy(state.mode.begin(), state.mode.end(), ws.mode.begin());
    AssemblyReport report = cartan::assemble(mechanism_, state.t, q, v, guesses, ws);
    if (!report.problem.empty()) return report;
    fill_kinematics<double>(mechanism_, state.t, q.data(), v.data(), ws);
    const RankReport rank = calc_rank(mechanism_, ws);
    int row = -1;
    report.problem = find_singularity(mechanism_, state.t, q, rank, ws, row);
    if (row >= 0) {
      report.joint =
          mechanism_.rows[row].loop >= 0 ? mechanism_.loops[mechanism_.rows[row].loop].joint : -1;
      report.constraint = mechanism_.rows[row].element;
    }
    std::copy(rank.active.begin(), rank.active.end(), state.mode.begin() + mechanism_.mode_count);
    return report;
  }

  // The discrete state that belongs to positions and speeds: independent rows, friction.
  void settle_modes(State& state) const {
    if (state.mode.empty()) return;
    MotionWorkspace<double> ws = make_motion_workspace(mechanism_);
    if (!mechanism_.rows.empty()) {
      std::fill(ws.mode.begin() + mechanism_.mode_count, ws.mode.end(), 1);
      fill_kinematics<double>(mechanism_, state.t, state.x.data(), state.x.data() + mechanism_.nq,
                              ws);
      const RankReport rank = calc_rank(mechanism_, ws);
      std::copy(rank.active.begin(), rank.active.end(), state.mode.begin() + mechanism_.mode_count);
    }
    if (mechanism_.mode_count > 0)
      start_friction(mechanism_, friction_state(state), ws, formulation_.solve);
  }

  // When the active rows come close to being dependent, others may do better. If they do not, the
  // choice stands until it has become ten times worse.
  void watch_rows(double pivot, State& state, TreeWorkspace& w, Projection& result) const {
    if (pivot > good_pivot) w.choose_below = weak_pivot;
    if (!(pivot < w.choose_below)) return;
    w.choose_below = 0.1 * pivot;
    choose_rows_again(state, w.motion, result);
  }

  void choose_rows_again(State& state, MotionWorkspace<double>& ws, Projection& result) const {
    RankReport rank;
    if (formulation_.absolute) {
      rank.active = formulation_.absolute->choose_rows(state);
      rank.rank = static_cast<int>(std::count(rank.active.begin(), rank.active.end(), 1));
    } else {
      kinematics_at(state, ws);
      rank = calc_rank(mechanism_, ws);
    }
    const std::span<int> active(state.mode.data() + mechanism_.mode_count, mechanism_.rows.size());
    const auto count = std::count(active.begin(), active.end(), 1);
    if (rank.rank < count) {
      int lost = 0;
      for (int r = 0; r < mechanism_.row_count(); ++r)
        if (active[r] && !rank.active[r]) lost = r;
      result.problem = fmt::format(
          "{}: the constraints lose rank (from {} to {}): a singular position, from which the "
          "motion is not unique",
          row_owner(model_, mechanism_.rows[lost]), count, rank.rank);
      return;
    }
    if (rank.rank > count || std::equal(active.begin(), active.end(), rank.active.begin())) return;
    std::copy(rank.active.begin(), rank.active.end(), active.begin());
    result.mode_changed = true;
  }

  // Why a constraint could not be brought back to zero.
  std::string describe_gap(const State& state, const MotionWorkspace<double>& ws,
                           double gap) const {
    int row = worst(ws.row_position);
    for (int r = 0; r < mechanism_.row_count(); ++r)  // a drive without a value spoils all others
      if (mechanism_.rows[r].drive && !std::isfinite(ws.row_position[r])) row = r;
    const std::string owner = row_owner(model_, mechanism_.rows[row]);
    if (!std::isfinite(gap))
      return fmt::format("{} has no value here (it is not a finite number)", owner);
    if (!state.mode[mechanism_.mode_count + row])
      return fmt::format(
          "{} contradicts the other constraints: it depends on them, and a gap of {:.3g} remains",
          owner, gap);
    return fmt::format(
        "{} cannot be kept: a gap of {:.3g} remains after projection; use a smaller "
        "step, or look for a singular position",
        owner, gap);
  }

  double energy_at(const State& state, MotionWorkspace<double>& ws) const {
    kinematics_at(state, ws);
    return calc_kinetic_energy(mechanism_, ws) + calc_potential_energy(mechanism_, ws);
  }
  static int worst(const std::vector<double>& residual) {
    const auto size = [](double x) { return std::isfinite(x) ? std::fabs(x) : INFINITY; };
    const auto larger = [&](double a, double b) { return size(a) < size(b); };
    return static_cast<int>(std::max_element(residual.begin(), residual.end(), larger) -
                            residual.begin());
  }

  // Unit quaternions are blocks of their own; everything else is a vector.
  void make_space() {
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (mechanism_.link_of_joint[j] < 0) continue;
      const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[j]];
      const bool rotation = link.type == JointType::spherical || link.type == JointType::free;
      if (mechanism_.absolute && !link.product) {
        space_.add_pose();
        continue;
      }
      if (rotation) space_.add_quaternion();
      space_.add_vector(rotation ? link.nq - 4 : link.nq);
    }
    space_.add_vector(mechanism_.nv + quadratures());
  }

  template <class S>
  void evaluate(const Mechanism<S>& mechanism, AccelerationSolver<S> solve, const S& t, const S* x,
                std::span<const int> mode, S* xdot, MotionWorkspace<S>& ws) const {
    const S* v = x + mechanism.nq;
    std::copy(mode.begin(), mode.end(), ws.mode.begin());
    fill_kinematics<S>(mechanism, t, x, v, ws);
    fill_forces(mechanism, ws);
    solve_with_friction(mechanism, ws, solve);
    if (mechanism.has_drives && !mechanism.absolute) fill_drive_multipliers(mechanism, ws);
    for (const Link<S>& link : mechanism.links)
      calc_coordinate_rates(link, x + link.q0, v + link.v0, xdot + link.q0);
    S* vdot = xdot + mechanism.nq;
    for (int j = 0; j < mechanism.nv; ++j) vdot[j] = ws.vdot[j];
    if (mechanism.has_power) {
      vdot[mechanism.nv] = calc_nonconservative_power(mechanism, ws);
      if (mechanism.has_drives) vdot[mechanism.nv] += calc_drive_power(mechanism, ws);
    }
    if (ws.failed) xdot[0] = S(std::numeric_limits<double>::quiet_NaN());
  }

  void kinematics_at(StateView at, MotionWorkspace<double>& ws) const {
    std::copy(at.mode.begin(), at.mode.end(), ws.mode.begin());
    fill_kinematics<double>(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq, ws);
  }

  void solve_at(StateView at, MotionWorkspace<double>& ws) const {
    kinematics_at(at, ws);
    fill_forces(mechanism_, ws);
    solve_with_friction(mechanism_, ws, formulation_.solve);
    if (mechanism_.has_drives && !mechanism_.absolute) fill_drive_multipliers(mechanism_, ws);
  }

  void fill_energies(MotionWorkspace<double>& ws) const {
    ws.kinetic = calc_kinetic_energy(mechanism_, ws);
    ws.potential = calc_potential_energy(mechanism_, ws);
  }

  FrictionState friction_state(State& state) const {
    return {state.t, state.x.data(), state.x.data() + mechanism_.nq, state.mode};
  }

  const Model& model_;
  TreeFormulation formulation_;
  std::vector<double> parameters_;
  Mechanism<double> mechanism_;
  Mechanism<Dual4> dual_mechanism_;
  Mechanism<Pack4> pack_mechanism_;
  std::optional<SecondOrderMotion> second_order_;
  std::unique_ptr<DiscreteMechanics> discrete_;
  StateSpace space_;
  std::vector<EventInfo> events_;
  bool event_needs_energy_ = false;
  State initial_;
  AssemblyReport assembly_;
  std::unique_ptr<MotionGeometry> geometry_;
};

}  // namespace

std::unique_ptr<MechanicalSystem> make_tree_system(const Model& model,
                                                   std::vector<double> parameters,
                                                   const TreeFormulation& formulation) {
  return std::make_unique<TreeSystem>(model, std::move(parameters), formulation);
}

}  // namespace cartan
