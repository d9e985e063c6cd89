#include "dynamics/discrete_motion.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "dynamics/absolute_solver.h"
#include "dynamics/constraints.h"
#include "dynamics/expression_inputs.h"
#include "dynamics/forces.h"
#include "dynamics/friction.h"
#include "dynamics/joint_displacement.h"
#include "dynamics/recursive.h"
#include "lie/so3.h"

namespace cartan {
namespace {

// A node of one scalar: the moving mechanism for forces, the still one for M and J.
template <class S>
struct Node {
  MotionWorkspace<S> moving, still;
  std::vector<S> zeros, q, v, F, p;

  explicit Node(const Mechanism<S>& mechanism)
      : moving(make_motion_workspace(mechanism)),
        still(make_motion_workspace(mechanism)),
        zeros(mechanism.nv, S(0)),
        q(mechanism.nq),
        v(mechanism.nv),
        F(mechanism.nv),
        p(mechanism.nv) {}
};

// A link on its way through a step; world axes.
struct LinkStep {
  Quat<double> W;
  Vec3<double> shift;  // of the origin
  Vec3<double> L, P;
};

struct DiscreteWorkspace : Workspace {
  explicit DiscreteWorkspace(const Mechanism<double>& mechanism)
      : node(mechanism),
        start(make_motion_workspace(mechanism)),
        end(make_motion_workspace(mechanism)),
        links(mechanism.links.size()),
        q0(mechanism.nq),
        low0(mechanism.nq),
        q1(mechanism.nq),
        low1(mechanism.nq),
        p0(mechanism.nv),
        residual(mechanism.nv),
        lambda(mechanism.rows.size()) {}

  Node<double> node;
  std::optional<Node<Dual4>> dual;  // made at the first slope
  MotionWorkspace<double> start, end;
  std::vector<LinkStep> links;
  std::vector<double> q0, low0, q1, low1, p0, residual;
  std::vector<double> lambda;  // of the step, times its length
  double h = 0, t1 = 0;
};

template <class S>
void set_mode(std::span<const int> mode, MotionWorkspace<S>& ws) {
  std::copy(mode.begin(), mode.end(), ws.mode.begin());
}

template <class S>
void fill_still(const Mechanism<S>& mechanism, const S& t, const S* q, const std::vector<S>& zeros,
                MotionWorkspace<S>& ws) {
  fill_kinematics<S>(mechanism, t, q, zeros.data(), ws);
  if (mechanism.absolute) fill_columns(mechanism, ws);
}

// S^T (joint_n, joint_f): the wrenches of the links, summed inward.
template <class S>
void take_along_columns(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::span<S> out) {
  for (int i = static_cast<int>(mechanism.links.size()) - 1; i >= 0; --i) {
    const Link<S>& link = mechanism.links[i];
    for (int k = 0; k < link.nv; ++k)
      out[link.v0 + k] = joint_force_component(mechanism, ws, i, k);
    if (link.parent == world) continue;
    ws.joint_n[link.parent] += ws.joint_n[i] + cross(ws.links[i].r, ws.joint_f[i]);
    ws.joint_f[link.parent] += ws.joint_f[i];
  }
}

// Solves M a = force + J^T lambda, J a + rest = 0 at the still position of ws, `rest` and
// `prescribed` being there: a into ws.vdot.
template <class S>
void solve_still(const Mechanism<S>& mechanism, std::span<const S> force, MotionWorkspace<S>& ws) {
  ws.gravity = {};
  for (Vec3<S>& n : ws.wrench_n) n = {};
  for (Vec3<S>& f : ws.wrench_f) f = {};
  if (!mechanism.absolute) {
    std::copy(force.begin(), force.end(), ws.tau.begin());
    return solve_accelerations(mechanism, ws);
  }
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    const S* at = force.data() + link.v0;
    const Vec3<S> push{at[3], at[4], at[5]};
    ws.wrench_n[i] = ws.links[i].R * Vec3<S>{at[0], at[1], at[2]};
    ws.wrench_f[i] = link.product ? push : ws.links[i].R * push;
  }
  solve_absolute(mechanism, ws);
}

template <class S, class F>
void for_each_tree_drive(const Mechanism<S>& mechanism, F&& f) {
  if (!mechanism.has_drives) return;
  for (const ConstraintElement<S>& element : mechanism.constraints) {
    const auto* drive = std::get_if<DriveElement<S>>(&element);
    if (drive && mechanism.link_of_joint[drive->joint] >= 0)
      f(*drive, mechanism.links[mechanism.link_of_joint[drive->joint]]);
  }
}

template <class S>
void leave_accelerations(const Mechanism<S>&, MotionWorkspace<S>&) {}

template <class S>
bool calc_forces(const Mechanism<S>& mechanism, const S& t, const S* q, const S* v,
                 std::span<const int> mode, Node<S>& node, std::span<S> F) {
  MotionWorkspace<S>& ws = node.moving;
  set_mode(mode, ws);
  fill_kinematics<S>(mechanism, t, q, v, ws);
  if (mechanism.absolute) fill_columns(mechanism, ws);
  fill_forces(mechanism, ws);
  ws.failed = false;
  if (mechanism.has_friction) {  // only loads of bearings need the accelerations
    const AccelerationSolver<S> solve =
        mechanism.absolute ? solve_absolute<S> : solve_accelerations<S>;
    solve_with_friction(mechanism, ws,
                        mechanism.bearing_count > 0 ? solve : leave_accelerations<S>);
  }
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    ws.joint_n[i] = ws.wrench_n[i] + cross(ws.links[i].R * link.mc, ws.gravity);
    ws.joint_f[i] = ws.wrench_f[i] + link.mass * ws.gravity;
  }
  take_along_columns(mechanism, ws, F);
  for (int j = 0; j < mechanism.nv; ++j) F[j] += ws.tau[j];
  return !ws.failed;
}

template <class S>
void calc_speeds(const Mechanism<S>& mechanism, const S& t, const S* q, std::span<const int> mode,
                 std::span<const S> p, Node<S>& node, S* v) {
  MotionWorkspace<S>& ws = node.still;
  set_mode(mode, ws);
  fill_still(mechanism, t, q, node.zeros, ws);
  ws.row_rest = ws.row_speed;  // -b
  for_each_tree_drive(mechanism, [&](const DriveElement<S>& drive, const Link<S>& link) {
    evaluate_program(mechanism, ws, drive.rate, ws.prescribed.data() + link.v0);
  });
  solve_still(mechanism, p, ws);
  std::copy_n(ws.vdot.begin(), mechanism.nv, v);
}

bool uses_speeds(const Formula* formula) {
  if (!formula) return false;
  const Program& program = formula->program;
  for (Quantity quantity : {Quantity::joint_v, Quantity::body_velocity, Quantity::body_angular,
                            Quantity::kinetic})
    if (program.depends_on(quantity)) return true;
  return false;
}

struct UsesSpeeds {
  bool operator()(const Spring<double>& e) const { return e.damping != 0; }
  bool operator()(const Torsion<double>& e) const {
    return std::any_of(e.damping.begin(), e.damping.end(), [](double c) { return c != 0; });
  }
  bool operator()(const WrenchElement<double>& e) const {
    return uses_speeds(e.force) || uses_speeds(e.torque);
  }
  bool operator()(const JointElement<double>& e) const { return uses_speeds(e.value); }
  bool operator()(const PotentialElement<double>&) const { return false; }
  bool operator()(const Friction<double>&) const { return true; }
  bool operator()(const DragElement<double>&) const { return true; }
};

class DiscreteMotion final : public DiscreteMechanics {
 public:
  DiscreteMotion(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual_mechanism)
      : mechanism_(mechanism), dual_mechanism_(dual_mechanism) {
    // impulses enter as forces, also where the file has none
    mechanism_.has_forces = dual_mechanism_.has_forces = true;
    for (const ForceElement<double>& e : mechanism_.forces)
      speeds_act_ |= std::visit(UsesSpeeds(), e);
  }

  std::string refusal() const override {
    if (mechanism_.mode_count == 0) return "";
    for (const Force& force : mechanism_.model->forces) {
      const auto* friction = std::get_if<FrictionForce>(&force.law);
      if (friction && !friction->smoothing.given())
        return fmt::format(
            "variational takes forces that are smooth: friction '{}' reverses and sticks exactly; "
            "give it 'smoothing', or use gl1 to gl8, rk45 or dop853",
            force.name);
    }
    return "variational takes forces that are smooth; use gl1 to gl8, rk45 or dop853";
  }
  int coordinates() const override { return mechanism_.nq; }
  int speeds() const override { return mechanism_.nv; }
  bool constrained() const override { return !mechanism_.rows.empty(); }
  bool forces_depend_on_speeds() const override { return speeds_act_; }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<DiscreteWorkspace>(mechanism_);
  }

  void calc_momenta(StateView at, std::span<double> p, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = own(workspace).node.moving;
    set_mode(at.mode, ws);
    fill_kinematics<double>(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq, ws);
    if (mechanism_.absolute) fill_columns(mechanism_, ws);
    for (std::size_t i = 0; i < mechanism_.links.size(); ++i) {
      const Link<double>& link = mechanism_.links[i];
      const LinkState<double>& x = ws.links[i];
      const Vec3<double> mc = x.R * link.mc;
      ws.joint_n[i] = x.R * (link.J * transpose_times(x.R, x.w)) + cross(mc, x.u);
      ws.joint_f[i] = link.mass * x.u + cross(x.w, mc);
    }
    take_along_columns(mechanism_, ws, p);
  }

  bool calc_forces(StateView at, std::span<double> F, Workspace& workspace) const override {
    return cartan::calc_forces(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq, at.mode,
                               own(workspace).node, F);
  }

  void calc_speeds(double t, std::span<const double> q, std::span<const int> mode,
                   std::span<const double> p, std::span<double> v,
                   Workspace& workspace) const override {
    cartan::calc_speeds(mechanism_, t, q.data(), mode, p, own(workspace).node, v.data());
  }

  // The solution is linear in the forces: v' along a direction of v is the one of p' = F'.
  void calc_speed_slope(StateView at, Eigen::Ref<Eigen::MatrixXd> slope,
                        Workspace& workspace) const override {
    DiscreteWorkspace& w = own(workspace);
    if (!w.dual) w.dual.emplace(dual_mechanism_);
    Node<Dual4>& node = *w.dual;
    const int nq = mechanism_.nq, nv = mechanism_.nv;
    std::copy_n(at.x.begin(), nq, node.q.begin());
    for (int first = 0; first < nv; first += 4) {
      for (int j = 0; j < nv; ++j) node.v[j] = Dual4(at.x[nq + j]);
      for (int c = 0; c < std::min(4, nv - first); ++c) node.v[first + c].d[c] = 1;
      cartan::calc_forces(dual_mechanism_, Dual4(at.t), node.q.data(), node.v.data(), at.mode, node,
                          std::span<Dual4>(node.F));
      cartan::calc_speeds(dual_mechanism_, Dual4(at.t), node.q.data(), at.mode,
                          std::span<const Dual4>(node.F), node, node.p.data());
      for (int c = 0; c < std::min(4, nv - first); ++c)
        for (int j = 0; j < nv; ++j) slope(j, first + c) = node.p[j].d[c];
    }
  }

  void begin(StateView at, std::span<const double> low, std::span<const double> p, double h,
             double t_end, std::span<double> d, Workspace& workspace) const override {
    DiscreteWorkspace& w = own(workspace);
    w.h = h;
    w.t1 = t_end;
    std::copy_n(at.x.begin(), mechanism_.nq, w.q0.begin());
    std::copy(low.begin(), low.end(), w.low0.begin());
    std::copy(p.begin(), p.end(), w.p0.begin());
    std::fill(w.lambda.begin(), w.lambda.end(), 0.0);
    set_mode(at.mode, w.start);
    set_mode(at.mode, w.end);
    fill_still(mechanism_, at.t, w.q0.data(), w.node.zeros, w.start);
    w.end.t = t_end;
    for_each_tree_drive(mechanism_, [&](const DriveElement<double>& drive,
                                        const Link<double>& link) {
      double* to = d.data() + link.v0;
      evaluate_program(mechanism_, w.end, drive.position->program, to);
      for (int k = 0; k < link.nv; ++k) to[k] = (to[k] - w.q0[link.q0 + k]) - w.low0[link.q0 + k];
    });
  }

  void improve(std::span<double> d, std::span<double> change, Workspace& workspace) const override {
    DiscreteWorkspace& w = own(workspace);
    displace(d, w);
    fill_residual(w);
    MotionWorkspace<double>& ws = w.start;
    if (constrained()) {
      displace_all(d, w.q1, w.low1, w);
      fill_still(mechanism_, w.t1, w.q1.data(), w.node.zeros, w.end);
      fill_gaps(w);
      std::fill(ws.prescribed.begin(), ws.prescribed.end(), 0.0);
    }
    solve_still<double>(mechanism_, w.residual, ws);
    for (int j = 0; j < mechanism_.nv; ++j) {
      change[j] = w.h * ws.vdot[j];
      d[j] += change[j];
    }
    for (std::size_t r = 0; r < w.lambda.size(); ++r) w.lambda[r] += ws.lambda[r];
  }

  void finish(std::span<const double> d, std::span<double> q1, std::span<double> low1,
              std::span<double> p_change, Workspace& workspace) const override {
    DiscreteWorkspace& w = own(workspace);
    displace(d, w);
    displace_all(d, q1, low1, w);
    fill_still(mechanism_, w.t1, q1.data(), w.node.zeros, w.end);
    fill_columns(mechanism_, w.start);
    fill_columns(mechanism_, w.end);
    fill_multiplier_forces(w);
    fill_momentum_change(p_change, w);
    for (int j = 0; j < mechanism_.nv; ++j) p_change[j] += w.residual[j];
    for_each_tree_drive(mechanism_, [&](const DriveElement<double>&, const Link<double>& link) {
      std::fill_n(p_change.begin() + link.v0, link.nv, 0.0);  // whatever the drive needs
    });
  }

 private:
  static DiscreteWorkspace& own(Workspace& workspace) {
    return static_cast<DiscreteWorkspace&>(workspace);
  }

  // Turns, shifts and momenta of all links.
  void displace(std::span<const double> d, DiscreteWorkspace& w) const {
    const double per_h = 1 / w.h;
    for (std::size_t i = 0; i < w.links.size(); ++i) {
      const Link<double>& link = mechanism_.links[i];
      const LinkBody<double>& body = mechanism_.bodies[i];
      const LinkState<double>& x = w.start.links[i];
      LinkStep& step = w.links[i];
      const JointDisplacement<double> joint =
          calc_joint_displacement(link, w.q0.data() + link.q0, d.data() + link.v0);
      const Quat<double> turn(joint.turn.w, x.R * joint.turn.vector());
      if (link.parent == world) {
        step.W = turn;
        step.shift = link.turned ? link.R_tree * joint.shift : joint.shift;
      } else {
        const LinkStep& p = w.links[link.parent];
        const Mat3<double>& R_p = w.start.links[link.parent].R;
        const Vec3<double> own = R_p * (link.turned ? link.R_tree * joint.shift : joint.shift);
        step.W = p.W * turn;
        step.shift = p.shift + own + turned_difference(p.W, x.r + own);
      }
      const Vec3<double> U = transpose_times(x.R, log(step.W));
      step.L = x.R * (per_h * SO3<double>::dexp_inverse(-U, body.J_com_L * U));
      step.P = (link.mass * per_h) * (step.shift + turned_difference(step.W, x.R * body.com_L));
    }
  }

  // p0 + J(q0)^T lambda - P0(d)
  void fill_residual(DiscreteWorkspace& w) const {
    MotionWorkspace<double>& ws = w.start;
    for (std::size_t i = 0; i < w.links.size(); ++i) {
      const LinkStep& step = w.links[i];
      ws.joint_n[i] = -(step.L + cross(ws.links[i].R * mechanism_.bodies[i].com_L, step.P));
      ws.joint_f[i] = -step.P;
    }
    add_multipliers(w);
    for (int j = 0; j < mechanism_.nv; ++j) w.residual[j] += w.p0[j];
  }

  // Adds J(q0)^T lambda to the wrenches of the links; all of it along the columns: into `residual`.
  void add_multipliers(DiscreteWorkspace& w) const {
    MotionWorkspace<double>& ws = w.start;
    for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
      const RowSource& source = mechanism_.sources[s];
      if (source.link == world) continue;
      ws.joint_n[source.link] += w.lambda[source.row] * ws.source_n[s];
      ws.joint_f[source.link] += w.lambda[source.row] * ws.source_f[s];
    }
    take_along_columns<double>(mechanism_, ws, w.residual);
    for (const RowTerm<double>& term : mechanism_.terms)
      w.residual[mechanism_.links[term.link].v0 + term.component] +=
          term.factor * w.lambda[term.row];
  }

  // residual = J(q0)^T lambda
  void fill_multiplier_forces(DiscreteWorkspace& w) const {
    std::fill(w.residual.begin(), w.residual.end(), 0.0);
    if (!constrained()) return;
    std::fill(w.start.joint_n.begin(), w.start.joint_n.end(), Vec3<double>{});
    std::fill(w.start.joint_f.begin(), w.start.joint_f.end(), Vec3<double>{});
    add_multipliers(w);
  }

  // P1 - P0 = (phi_1 - phi_0) . N_1 + phi_0 . (N_1 - N_0) + (psi_1 - psi_0) . F, where (N, F) is
  // what a link and all beyond it have of momentum, about its origin; F is the same at both ends.
  void fill_momentum_change(std::span<double> out, DiscreteWorkspace& w) const {
    std::vector<Vec3<double>>&N = w.end.joint_n, &F = w.end.joint_f, &dN = w.start.joint_n;
    for (std::size_t i = 0; i < w.links.size(); ++i) {
      const LinkStep& step = w.links[i];
      const Vec3<double> arm = w.start.links[i].R * mechanism_.bodies[i].com_L;
      const Vec3<double> moved = turned_difference(step.W, arm);
      N[i] = step.L + cross(arm + moved, step.P);
      dN[i] = cross(moved, step.P);
      F[i] = step.P;
    }
    for (int i = static_cast<int>(w.links.size()) - 1; i >= 0; --i) {
      const Link<double>& link = mechanism_.links[i];
      for (int k = 0; k < link.nv; ++k) {
        const int j = link.v0 + k;
        Vec3<double> dphi, dpsi;
        calc_column_change(link, i, k, w, dphi, dpsi);
        out[j] = dot(dphi, N[i]) + dot(w.start.phi[j], dN[i]) + dot(dpsi, F[i]);
      }
      if (link.parent == world) continue;
      const Vec3<double> moved = w.links[i].shift - w.links[link.parent].shift;  // of r
      N[link.parent] += N[i] + cross(w.start.links[i].r + moved, F[i]);
      dN[link.parent] += dN[i] + cross(moved, F[i]);
      F[link.parent] += F[i];
    }
  }

  void calc_column_change(const Link<double>& link, int i, int k, const DiscreteWorkspace& w,
                          Vec3<double>& dphi, Vec3<double>& dpsi) const {
    const int j = link.v0 + k;
    int carrier = i;
    switch (column_carrier(link, k)) {
      case ColumnCarrier::world:
        return;
      case ColumnCarrier::none:
        dphi = w.end.phi[j] - w.start.phi[j];
        dpsi = w.end.psi[j] - w.start.psi[j];
        return;
      case ColumnCarrier::parent:
        carrier = link.parent;
        break;
      case ColumnCarrier::link:
        break;
    }
    if (carrier == world) return;
    dphi = turned_difference(w.links[carrier].W, w.start.phi[j]);
    dpsi = turned_difference(w.links[carrier].W, w.start.psi[j]);
  }

  // start.row_rest = gap / h, as speeds are looked for
  void fill_gaps(DiscreteWorkspace& w) const {
    std::vector<double>& gap = w.start.row_rest;
    fill_constraint_positions(mechanism_, w.end);
    gap = w.end.row_position;
    for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
      const RowSource& source = mechanism_.sources[s];
      if (mechanism_.rows[source.row].holonomic || source.link == world) continue;
      const LinkStep& step = w.links[source.link];
      gap[source.row] +=
          0.5 * (dot(w.start.source_n[s] + w.end.source_n[s], log(step.W)) +
                 dot(w.start.source_f[s] + w.end.source_f[s], step.shift));
    }
    for (double& g : gap) g /= w.h;
  }

  void displace_all(std::span<const double> d, std::span<double> q1, std::span<double> low1,
                    const DiscreteWorkspace& w) const {
    for (const Link<double>& link : mechanism_.links)
      displace_coordinates(link, d.data() + link.v0, w.q0.data() + link.q0,
                           w.low0.data() + link.q0, q1.data() + link.q0, low1.data() + link.q0);
  }

  Mechanism<double> mechanism_;
  Mechanism<Dual4> dual_mechanism_;
  bool speeds_act_ = false;
};

}  // namespace

std::unique_ptr<DiscreteMechanics> make_discrete_motion(const Mechanism<double>& mechanism,
                                                        const Mechanism<Dual4>& dual_mechanism) {
  return std::make_unique<DiscreteMotion>(mechanism, dual_mechanism);
}

}  // namespace cartan
