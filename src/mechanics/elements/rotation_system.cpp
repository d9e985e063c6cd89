#include "mechanics/elements/rotation_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/absolute/absolute_system.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/projection.h"
#include "mechanics/elements/element_multipliers.h"
#include "mechanics/forces/applied_forces.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/machine/translated_system.h"
#include "mechanics/machine/variable_states.h"
#include "mechanics/tree/tree_report.h"
#include "system/held_multipliers.h"

namespace cartan::mechanics {
namespace {

struct RotationWorkspace : TranslatedWorkspace {
  ElementWorkspace<double> elements;
  std::optional<OneStepElimination> one_step;   // where it was chosen
  std::optional<ElementWorkspace<Dual4>> dual;  // made at the first Jacobian
  std::vector<Dual4> dual_x, dual_xdot;
  std::optional<ElementWorkspace<Pack4>> pack;  // made at the first evaluation of several points
  std::vector<Pack4> pack_x, pack_xdot;
  State projected;
  std::vector<double> free_rates;
};

Model without_groups(Model model) {
  for (Body& body : model.bodies) body.group = BodyGroup::formulation;
  return model;
}

Mat3<double> matrix_at(const double* x) {
  return Mat3<double>::columns({x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]});
}
Vec3<double> vector_at(const double* x) {
  return {x[0], x[1], x[2]};
}
void write(const Mat3<double>& R, const Vec3<double>& T, double* x) {
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) x[3 * c + r] = R(r, c);
  for (int r = 0; r < 3; ++r) x[9 + r] = T[r];
}
double largest(const Mat3<double>& m) {
  double most = 0;
  for (const Vec3<double>& column : m.c)
    for (int r = 0; r < 3; ++r) most = std::max(most, std::fabs(column[r]));
  return most;
}

// The inner system is the same mechanism on SO(3) x R3, without the groups of the file.
struct PlainModel {
  const Model plain;  // `group` means nothing here
};

class RotationSystem final : private PlainModel, public TranslatedSystem, public HeldMultipliers {
 public:
  RotationSystem(const Model& model, const std::vector<double>& parameters)
      : PlainModel{without_groups(model)},
        TranslatedSystem(make_absolute_so3r3(plain, parameters)),
        model_(model),
        absolute_(make_absolute_model(plain, parameters)) {
    std::vector<BodyState> start(model.bodies.size());
    if (inner().assembly().problem.empty()) {
      Observation now;
      inner().observe(inner().initial_state(), now, *inner().make_workspace());
      start = now.bodies;
    }
    elements_ = make_element_mechanism<double>(absolute_, parameters, start);
    dual_ = make_element_mechanism<Dual4>(absolute_, parameters, start);
    pack_ = make_element_mechanism<Pack4>(absolute_, parameters, start);
    work_ = make_work_split(elements_.mechanism);
    space_.add_vector(2 * elements_.size() + variable_count() + quadratures());
  }

  const Model& model() const override { return model_; }
  std::string formulation() const override { return "rotation-elements"; }
  const StateSpace& space() const override { return space_; }
  int quadratures() const override { return work_.quadratures(); }
  bool constrained() const override { return true; }  // R^T R = 1
  const HeldMultipliers* held_multipliers() const override { return this; }
  void set_baumgarte(double rate) override {
    TranslatedSystem::set_baumgarte(rate);
    elements_.mechanism.baumgarte = rate;
    dual_.mechanism.baumgarte = rate;
    pack_.mechanism.baumgarte = rate;
  }

  // What OneStepElimination has no equations for is refused: it would be left out silently.
  std::string set_one_step_elimination() override {
    const Mechanism<double>& mechanism = elements_.mechanism;
    if (!mechanism.loop_rotors.empty())
      return "one-step elimination has no place for the inertia of rotors (`inertia` of a joint), "
             "whose forces follow from accelerations; use two-step";
    if (mechanism.has_friction)
      return "one-step elimination has no place for friction, which may depend on reactions; use "
             "two-step";
    if (!mechanism.contacts.empty())
      return "one-step elimination has no place for contacts and stops; use two-step";
    for (std::size_t i = 0; i < elements_.bodies.size(); ++i)
      if (!has_full_inertia(elements_, i))
        return fmt::format(
            "one-step elimination divides by the mass and by K = tr(J)/2 1 - J of every body, "
            "which body '{}' does not have in all directions; use two-step",
            model_.bodies[mechanism.bodies[i].body].name);
    one_step_ = true;
    return "";
  }

  std::string split_work() override {
    const std::string problem = inner().split_work();
    work_.split = inner().quadratures() > 1;
    space_ = StateSpace();
    space_.add_vector(2 * elements_.size() + variable_count() + quadratures());
    return problem;
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<RotationWorkspace>();
    workspace->elements = make_element_workspace(elements_);
    prepare(*workspace);
    return workspace;
  }

  // ---- the motion

  void derivative(StateView at, std::span<double> xdot, Workspace& workspace) const override {
    RotationWorkspace& w = own(workspace);
    ++w.evaluations;
    if (one_step_) return evaluate_in_one_step(at, xdot, w);
    evaluate(elements_, at.t, at.x.data(), at.mode, xdot.data(), w.elements);
  }
  void derivatives(std::span<const double> times, std::span<const double> x,
                   std::span<const int> mode, std::span<double> xdot,
                   Workspace& workspace) const override {
    RotationWorkspace& w = own(workspace);
    if (times.size() == 1 || one_step_) {
      const std::size_t n = x.size() / times.size();
      for (std::size_t k = 0; k < times.size(); ++k)
        derivative({times[k], x.subspan(k * n, n), mode}, xdot.subspan(k * n, n), workspace);
      return;
    }
    if (!w.pack) w.pack = make_element_workspace(pack_);
    w.evaluations += static_cast<long>(times.size());
    evaluate_in_packs(times, x, xdot, w.pack_x, w.pack_xdot,
                      [&](const Pack4& t, const Pack4* at, Pack4* rates) {
                        evaluate(pack_, t, at, mode, rates, *w.pack);
                      });
  }
  void jacobian(StateView at, Eigen::Ref<Eigen::MatrixXd> J, Workspace& workspace) const override {
    RotationWorkspace& w = own(workspace);
    ++w.jacobians;
    if (!w.dual) w.dual = make_element_workspace(dual_);
    differentiate_columns(at.x, 2 * elements_.size() + variable_count(), J, w.dual_x, w.dual_xdot,
                          [&](const Dual4* x, Dual4* xdot) {
                            evaluate(dual_, Dual4(at.t), x, at.mode, xdot, *w.dual);
                          });
  }
  int kinematic_size() const override { return elements_.size(); }
  void kinematic_rates(StateView at, std::span<double> rates, Workspace&) const override {
    std::copy_n(at.x.begin() + elements_.size(), elements_.size(), rates.begin());
  }
  std::string component_name(int i) const override {
    const int n = elements_.size();
    if (i >= 2 * n + variable_count()) return "work";
    if (i >= 2 * n) return model_.variables[i - 2 * n].name;
    const int k = i % n % element_count;
    const std::string& body = model_.bodies[i % n / element_count].name;
    const std::string name = k < 9 ? fmt::format("{}.R{}{}", body, k % 3 + 1, k / 3 + 1)
                                   : fmt::format("{}.T{}", body, k - 8);
    return i < n ? name : name + "'";
  }
  // ---- multipliers that are held

  std::string refusal() const override {
    if (!elements_.mechanism.loop_rotors.empty())
      return "held-multipliers holds the forces of the constraints, and those of rotors "
             "(`inertia` of a joint) follow from accelerations; use another integrator, such as "
             "gl3";
    for (std::size_t i = 0; i < elements_.bodies.size(); ++i)
      if (!has_full_inertia(elements_, i))
        return fmt::format(
            "held-multipliers divides by the mass and by K = tr(J)/2 1 - J of every body, which "
            "body '{}' does not have in all directions (flat, a rod or a point); give it some "
            "thickness or use another integrator, such as gl3",
            model_.bodies[elements_.mechanism.bodies[i].body].name);
    return "";
  }
  int multiplier_count() const override {
    return elements_.mechanism.row_count() + 6 * static_cast<int>(elements_.bodies.size());
  }
  void solve_multipliers(StateView at, std::span<double> multipliers,
                         Workspace& workspace) const override {
    RotationWorkspace& w = own(workspace);
    ++w.evaluations;
    solve_at(at, w.elements);
    const std::vector<double>& lambda = w.elements.motion.lambda;
    auto next = std::copy(lambda.begin(), lambda.end(), multipliers.begin());
    for (std::size_t i = 0; i < elements_.bodies.size(); ++i) {
      const Sym3<double> L = calc_body_multiplier(elements_, w.elements, i);
      for (double number : {L.xx, L.yy, L.zz, L.xy, L.xz, L.yz}) *next++ = number;
    }
  }
  void held_derivative(StateView at, std::span<const double> multipliers, std::span<double> xdot,
                       Workspace& workspace) const override {
    RotationWorkspace& w = own(workspace);
    ++w.evaluations;
    set_mode(at.mode, w.elements);
    set_variables(elements_.mechanism, at.x.data() + 2 * elements_.size(), w.elements.motion);
    calc_held_rates(elements_, at.t, at.x.data(), multipliers, xdot.data(), w.elements);
    finish(elements_, xdot.data(), w.elements);
  }

  // ---- back to the constraints

  Projection project(State& state, Workspace& workspace) const override {
    RotationWorkspace& w = own(workspace);
    Projection result;
    double position = 0, speed = 0, rate = 1;
    if (!measure_defects(state.x, position, speed, rate)) {
      result.problem = fmt::format(
          "the matrix of a body is no longer close to a rotation (R^T R - 1 has an entry of "
          "{:.2g}); use a smaller step",
          position);
      return result;
    }
    const double before = energy_at(state, w);
    State& free = inwards(state, w);
    // the other system watches its own pivots
    std::vector<double>& rates = w.free_rates;
    rates.resize(free.x.size());
    if (w.elements.motion.fronts.least_pivot < 1e-2) inner().derivative(free, rates, *w.inner);
    result = inner().project(free, *w.inner);
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    result.moved |= position > rounding || speed > rounding * rate;
    if (!result.problem.empty() || !result.moved) return result;
    State& there = w.projected;
    fill_elements(free, there);
    const int n = elements_.size();
    result.position_change = result.velocity_change = 0;
    for (int k = 0; k < n; ++k) {
      result.position_change = std::max(result.position_change, std::fabs(there.x[k] - state.x[k]));
      result.velocity_change =
          std::max(result.velocity_change, std::fabs(there.x[n + k] - state.x[n + k]));
    }
    std::copy(there.x.begin(), there.x.end(), state.x.begin());
    std::copy(there.mode.begin(), there.mode.end(), state.mode.begin());
    result.energy_change = energy_at(state, w) - before;
    return result;
  }

  // ---- reports

  void observe(StateView at, Observation& result, Workspace& workspace) const override {
    RotationWorkspace& w = own(workspace);
    MotionWorkspace<double>& ws = w.elements.motion;
    const Mechanism<double>& mechanism = elements_.mechanism;
    mechanism.outputs_need_motion ? solve_at(at, w.elements) : kinematics_at(at, w.elements);
    ws.kinetic = calc_kinetic_energy(mechanism, ws);
    ws.potential = calc_potential_energy(mechanism, ws);
    fill_loop_coordinates(mechanism, ws);
    if (mechanism.outputs_need_motion) {
      restore_rows(elements_, w.elements);
      fill_output_motion(mechanism, ws);
    }
    fill_observation(mechanism, ws, result);
    result.position_violation = calc_position_violation(mechanism, ws);
    result.velocity_violation = calc_velocity_violation(mechanism, ws);
    fill_works(mechanism, work_, at.x.last(quadratures()), result);
    double speed = 0, rate = 0;
    measure_defects(at.x, result.unit_norm_error, speed, rate);
    result.q.resize(model_.joints.size());
    result.v.resize(model_.joints.size());
  }
  DynamicsReport report_dynamics(StateView at, Workspace& workspace) const override {
    ElementWorkspace<double>& ws = own(workspace).elements;
    solve_at(at, ws);
    ElementMultipliers multipliers = report_multipliers(elements_, ws);
    restore_rows(elements_, ws);
    DynamicsReport report = make_dynamics_report(elements_.mechanism, ws.motion);
    report.acceleration.resize(model_.joints.size());
    report.reactions.resize(model_.joints.size());
    multipliers.joint.resize(model_.joints.size());
    report.elements = std::move(multipliers);
    return report;
  }
  std::vector<AppliedWrench> report_forces(StateView at, Workspace& workspace) const override {
    ElementWorkspace<double>& ws = own(workspace).elements;
    solve_at(at, ws);
    restore_rows(elements_, ws);
    use_least_multipliers(elements_.mechanism, ws.motion);
    fill_reactions(elements_.mechanism, ws.motion);
    return list_applied_forces(elements_.mechanism, ws.motion);
  }
  void constraint_violations(StateView at, std::vector<double>& positions,
                             std::vector<double>& speeds, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = own(workspace).elements.motion;
    kinematics_at(at, own(workspace).elements);
    if (!elements_.mechanism.rows.empty()) fill_constraint_positions(elements_.mechanism, ws);
    positions = ws.row_position;
    speeds = ws.row_speed;
  }

 private:
  static RotationWorkspace& own(Workspace& workspace) {
    return static_cast<RotationWorkspace&>(workspace);
  }

  template <class S>
  static void set_mode(std::span<const int> mode, ElementWorkspace<S>& ws) {
    std::copy(mode.begin(), mode.end(), ws.motion.mode.begin());
  }
  void kinematics_at(StateView at, ElementWorkspace<double>& ws) const {
    set_mode(at.mode, ws);
    set_variables(elements_.mechanism, at.x.data() + 2 * elements_.size(), ws.motion);
    fill_element_kinematics(elements_, at.t, at.x.data(), ws);
  }
  void solve_at(StateView at, ElementWorkspace<double>& ws) const {
    kinematics_at(at, ws);
    fill_forces(elements_.mechanism, ws.motion);
    solve_with_friction(elements_.mechanism, ws.motion, &solve_absolute<double>);
  }
  double energy_at(StateView at, RotationWorkspace& w) const {
    kinematics_at(at, w.elements);
    return calc_kinetic_energy(elements_.mechanism, w.elements.motion) +
           calc_potential_energy(elements_.mechanism, w.elements.motion);
  }

  template <class S>
  void evaluate(const ElementMechanism<S>& elements, const S& t, const S* x,
                std::span<const int> mode, S* xdot, ElementWorkspace<S>& ws) const {
    set_mode(mode, ws);
    set_variables(elements.mechanism, x + 2 * elements.size(), ws.motion);
    calc_element_rates(elements, t, x, xdot, ws);
    finish(elements, xdot, ws);
  }
  void evaluate_in_one_step(StateView at, std::span<double> xdot, RotationWorkspace& w) const {
    set_mode(at.mode, w.elements);
    set_variables(elements_.mechanism, at.x.data() + 2 * elements_.size(), w.elements.motion);
    if (!w.one_step) w.one_step.emplace(elements_);
    (*w.one_step)(at.t, at.x.data(), xdot.data(), w.elements);
    finish(elements_, xdot.data(), w.elements);
  }
  // The rate of the work done, and failures.
  template <class S>
  void finish(const ElementMechanism<S>& elements, S* xdot, ElementWorkspace<S>& ws) const {
    const Mechanism<S>& mechanism = elements.mechanism;
    xdot += 2 * elements.size();
    calc_variable_rates(mechanism, ws.motion, xdot);
    calc_powers(mechanism, ws.motion, work_, xdot + mechanism.nz);
    xdot -= 2 * elements.size();
    if (ws.motion.failed) xdot[0] = S(std::numeric_limits<double>::quiet_NaN());
  }

  // Largest entries of R^T R - 1, of its rate, and of R'. False where a body has no rotation near.
  bool measure_defects(std::span<const double> x, double& position, double& speed,
                       double& rate) const {
    position = speed = 0;
    for (int k = 0; k < elements_.size(); k += element_count) {
      const Mat3<double> R = matrix_at(x.data() + k),
                         V = matrix_at(x.data() + elements_.size() + k);
      const Mat3<double> T = transpose(R), spin = T * V;
      position = std::max(position, largest(T * R - Mat3<double>::identity()));
      speed = std::max(speed, largest(spin + transpose(spin)));
      rate = std::max(rate, largest(V));
    }
    return position < 0.5;
  }

  // The state on SO(3) x R3: the nearest rotations, the antisymmetric part of R^T R'.
  State& inwards(StateView at, Workspace& workspace) const override {
    const std::size_t n = elements_.bodies.size();
    State& state = own(workspace).inside;
    state.t = at.t;
    state.mode.assign(at.mode.begin(), at.mode.end());
    const int rest = variable_count() + quadratures();
    state.x.assign(13 * n + rest, 0.0);
    std::copy(at.x.end() - rest, at.x.end(), state.x.end() - rest);
    for (std::size_t i = 0; i < n; ++i) {
      const ElementBody<double>& body = elements_.bodies[i];
      const double *x = at.x.data() + element_count * i, *v = x + elements_.size();
      const Mat3<double> raw = matrix_at(x), rate = matrix_at(v);
      const Mat3<double> R = nearest_rotation(raw).value_or(raw) * body.A0;
      const Quat<double> u = from_rotation_matrix(R);
      const Mat3<double> spin = transpose(R) * (rate * body.A0);
      const Vec3<double> place = vector_at(x + 9) + raw * body.G0;
      const Vec3<double> speed = vector_at(v + 9) + rate * body.G0;
      double *q = state.x.data() + 7 * i, *w_u = state.x.data() + 7 * n + 6 * i;
      q[0] = u.w, q[1] = u.x, q[2] = u.y, q[3] = u.z;
      w_u[0] = 0.5 * (spin(2, 1) - spin(1, 2));
      w_u[1] = 0.5 * (spin(0, 2) - spin(2, 0));
      w_u[2] = 0.5 * (spin(1, 0) - spin(0, 1));
      for (int k = 0; k < 3; ++k) q[4 + k] = place[k], w_u[3 + k] = speed[k];
    }
    return state;
  }

  State outwards(const State& free) const override {
    State state;
    fill_elements(free, state);
    return state;
  }
  void fill_elements(const State& free, State& state) const {
    const std::size_t n = elements_.bodies.size();
    state.t = free.t;
    state.mode = free.mode;
    state.x.resize(space_.size());
    if (free.x.size() < 13 * n) return;  // there is no consistent start
    const int rest = variable_count() + quadratures();
    std::copy(free.x.end() - rest, free.x.end(), state.x.end() - rest);
    for (std::size_t i = 0; i < n; ++i) {
      const ElementBody<double>& body = elements_.bodies[i];
      const double *q = free.x.data() + 7 * i, *v = free.x.data() + 7 * n + 6 * i;
      const Mat3<double> B = rotation_matrix(Quat<double>(q[0], q[1], q[2], q[3]));
      const Mat3<double> back = transpose(body.A0), R = B * back;
      const Mat3<double> rate = B * (hat(vector_at(v)) * back);
      double* x = state.x.data() + element_count * i;
      write(R, vector_at(q + 4) - R * body.G0, x);
      write(rate, vector_at(v + 3) - rate * body.G0, x + elements_.size());
    }
  }

  const Model& model_;
  const Model absolute_;  // every body free
  ElementMechanism<double> elements_;
  ElementMechanism<Dual4> dual_;
  ElementMechanism<Pack4> pack_;
  bool one_step_ = false;  // multipliers all at once
  WorkSplit work_;
  StateSpace space_;
};

}  // namespace

std::optional<Mat3<double>> nearest_rotation(const Mat3<double>& R) {
  Mat3<double> X = R;
  for (int k = 0; k < 20; ++k) {  // X <- (X + X^-T) / 2, X^-T from cross products
    const double det = determinant(X);
    if (!(det > 1e-3)) return std::nullopt;
    const Mat3<double> inverse =
        Mat3<double>::columns(cross(X.c[1], X.c[2]), cross(X.c[2], X.c[0]), cross(X.c[0], X.c[1]));
    const Mat3<double> next = 0.5 * (X + (1 / det) * inverse);
    const double change = largest(next - X);
    X = next;
    if (change < 1e-9) return X;  // quadratic: the next change is below rounding
  }
  return std::nullopt;
}

std::string refuse_rotation_elements(const Model& model) {
  return refuse_absolute(model);
}

std::unique_ptr<MechanicalSystem> make_rotation_elements(const Model& model,
                                                         std::vector<double> parameters) {
  return std::make_unique<RotationSystem>(model, parameters);
}

}  // namespace cartan::mechanics
