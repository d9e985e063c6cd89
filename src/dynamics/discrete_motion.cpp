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
  std::vector<S> zeros, q, v, F, solved;

  explicit Node(const Mechanism<S>& mechanism)
      : moving(make_motion_workspace(mechanism)),
        still(make_motion_workspace(mechanism)),
        zeros(mechanism.nv, S(0)),
        q(mechanism.nq),
        v(mechanism.nv),
        F(6 * mechanism.links.size() + mechanism.nv),
        solved(mechanism.nv) {}
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
        p0(6 * mechanism.links.size() + mechanism.nv),
        p0_low(p0.size()),
        lambda(mechanism.rows.size()) {}

  Node<double> node;
  std::optional<Node<Dual4>> dual;  // made at the first slope
  MotionWorkspace<double> start, end;
  std::vector<LinkStep> links;
  std::vector<double> q0, low0, q1, low1, p0, p0_low;
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
    for (int k = 0; k < link.nv; ++k) out[link.v0 + k] = joint_force_component(mechanism, ws, i, k);
    if (link.parent == world) continue;
    ws.joint_n[link.parent] += ws.joint_n[i] + cross(ws.links[i].r, ws.joint_f[i]);
    ws.joint_f[link.parent] += ws.joint_f[i];
  }
}

// Momenta or forces of one link in a list of them.
template <class S>
Vec3<S> moment_at(std::span<const S> list, std::size_t i) {
  return {list[6 * i], list[6 * i + 1], list[6 * i + 2]};
}
template <class S>
Vec3<S> force_at(std::span<const S> list, std::size_t i) {
  return {list[6 * i + 3], list[6 * i + 4], list[6 * i + 5]};
}
template <class S>
void put_link(const Vec3<S>& moment, const Vec3<S>& force, std::size_t i, std::span<S> list) {
  for (int k = 0; k < 3; ++k) {
    list[6 * i + k] = moment[k];
    list[6 * i + 3 + k] = force[k];
  }
}

// Where all links are free, forces in their joints are wrenches on them.
template <class S>
void move_joint_forces(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!mechanism.absolute) return;
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    S* tau = ws.tau.data() + link.v0;
    const Vec3<S> push{tau[3], tau[4], tau[5]};
    ws.wrench_n[i] += ws.links[i].R * Vec3<S>{tau[0], tau[1], tau[2]};
    ws.wrench_f[i] += link.product ? push : ws.links[i].R * push;
    std::fill_n(tau, 6, S(0));
  }
}

// Solves M a = [wrenches, tau] + J^T lambda, J a + rest = 0 at the still position of ws, with
// `rest` and `prescribed` as they are there: a into ws.vdot.
template <class S>
void solve_still(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  ws.gravity = {};
  move_joint_forces(mechanism, ws);
  mechanism.absolute ? solve_absolute(mechanism, ws) : solve_accelerations(mechanism, ws);
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
    const Vec3<S> arm = ws.links[i].R * mechanism.bodies[i].com_L, &f = ws.wrench_f[i];
    put_link(ws.wrench_n[i] - cross(arm, f), f + mechanism.links[i].mass * ws.gravity, i, F);
  }
  std::copy_n(ws.tau.begin(), mechanism.nv, F.end() - mechanism.nv);
  return !ws.failed;
}

// Momenta of link i that moves as in ws, about its centre of mass.
template <class S>
void calc_link_momenta(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, std::size_t i,
                       Vec3<S>& L, Vec3<S>& P) {
  const LinkState<S>& x = ws.links[i];
  const LinkBody<S>& body = mechanism.bodies[i];
  L = x.R * (body.J_com_L * transpose_times(x.R, x.w));
  P = mechanism.links[i].mass * (x.u + cross(x.w, x.R * body.com_L));
}

// The speeds are those of the guess and what the momenta it lacks add to them.
template <class S>
void calc_speeds(const Mechanism<S>& mechanism, const S& t, const S* q, const S* guess,
                 std::span<const int> mode, std::span<const S> p, Node<S>& node, S* v) {
  MotionWorkspace<S>&ws = node.still, &moving = node.moving;
  set_mode(mode, ws);
  set_mode(mode, moving);
  fill_kinematics<S>(mechanism, t, q, guess, moving);
  fill_still(mechanism, t, q, node.zeros, ws);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    Vec3<S> L, P;
    calc_link_momenta(mechanism, moving, i, L, P);
    const Vec3<S> f = force_at(p, i) - P;
    ws.wrench_n[i] = moment_at(p, i) - L + cross(ws.links[i].R * mechanism.bodies[i].com_L, f);
    ws.wrench_f[i] = f;
  }
  std::copy(p.end() - mechanism.nv, p.end(), ws.tau.begin());
  ws.row_rest = moving.row_speed;
  for_each_tree_drive(mechanism, [&](const DriveElement<S>& drive, const Link<S>& link) {
    S* to = ws.prescribed.data() + link.v0;
    evaluate_program(mechanism, ws, drive.rate, to);
    for (int k = 0; k < link.nv; ++k) to[k] -= guess[link.v0 + k];
  });
  solve_still(mechanism, ws);
  for (int j = 0; j < mechanism.nv; ++j) v[j] = guess[j] + ws.vdot[j];
  for_each_tree_drive(mechanism, [&](const DriveElement<S>& drive, const Link<S>& link) {
    evaluate_program(mechanism, ws, drive.rate, v + link.v0);  // exactly
  });
}

bool uses_speeds(const Formula* formula) {
  if (!formula) return false;
  const Program& program = formula->program;
  for (Quantity quantity :
       {Quantity::joint_v, Quantity::body_velocity, Quantity::body_angular, Quantity::kinetic})
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
  int momenta() const override {
    return 6 * static_cast<int>(mechanism_.links.size()) + mechanism_.nv;
  }
  bool constrained() const override { return !mechanism_.rows.empty(); }
  bool forces_depend_on_speeds() const override { return speeds_act_; }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<DiscreteWorkspace>(mechanism_);
  }

  void calc_momenta(StateView at, std::span<double> p, Workspace& workspace) const override {
    MotionWorkspace<double>& ws = own(workspace).node.moving;
    set_mode(at.mode, ws);
    fill_kinematics<double>(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq, ws);
    std::fill(p.begin(), p.end(), 0.0);
    for (std::size_t i = 0; i < mechanism_.links.size(); ++i) {
      Vec3<double> L, P;
      calc_link_momenta(mechanism_, ws, i, L, P);
      put_link(L, P, i, p);
    }
  }

  bool calc_forces(StateView at, std::span<double> F, Workspace& workspace) const override {
    return cartan::calc_forces(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq, at.mode,
                               own(workspace).node, F);
  }

  void calc_speeds(StateView guess, std::span<const double> p, std::span<double> v,
                   Workspace& workspace) const override {
    cartan::calc_speeds(mechanism_, guess.t, guess.x.data(), guess.x.data() + mechanism_.nq,
                        guess.mode, p, own(workspace).node, v.data());
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
      cartan::calc_speeds(dual_mechanism_, Dual4(at.t), node.q.data(), node.zeros.data(), at.mode,
                          std::span<const Dual4>(node.F), node, node.solved.data());
      for (int c = 0; c < std::min(4, nv - first); ++c)
        for (int j = 0; j < nv; ++j) slope(j, first + c) = node.solved[j].d[c];
    }
  }

  void begin(StateView at, std::span<const double> q_low, std::span<const double> p,
             std::span<const double> p_low, double h, double t_end, std::span<double> d,
             Workspace& workspace) const override {
    DiscreteWorkspace& w = own(workspace);
    w.h = h;
    w.t1 = t_end;
    std::copy_n(at.x.begin(), mechanism_.nq, w.q0.begin());
    std::copy(q_low.begin(), q_low.end(), w.low0.begin());
    std::copy(p.begin(), p.end(), w.p0.begin());
    std::copy(p_low.begin(), p_low.end(), w.p0_low.begin());
    std::fill(w.lambda.begin(), w.lambda.end(), 0.0);
    set_mode(at.mode, w.start);
    set_mode(at.mode, w.end);
    fill_still(mechanism_, at.t, w.q0.data(), w.node.zeros, w.start);
    w.end.t = t_end;
    for_each_tree_drive(mechanism_,
                        [&](const DriveElement<double>& drive, const Link<double>& link) {
                          double* to = d.data() + link.v0;
                          evaluate_program(mechanism_, w.end, drive.position->program, to);
                          for (int k = 0; k < link.nv; ++k)
                            to[k] = (to[k] - w.q0[link.q0 + k]) - w.low0[link.q0 + k];
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
    solve_still(mechanism_, ws);
    for (int j = 0; j < mechanism_.nv; ++j) {
      change[j] = w.h * ws.vdot[j];
      d[j] += change[j];
    }
    for (std::size_t r = 0; r < w.lambda.size(); ++r) w.lambda[r] += ws.lambda[r];
  }

  void finish(std::span<const double> d, std::span<double> q1, std::span<double> q1_low,
              std::span<double> p1, std::span<double> p1_low, Workspace& workspace) const override {
    DiscreteWorkspace& w = own(workspace);
    MotionWorkspace<double>& ws = w.start;
    displace(d, w);
    fill_residual(w);
    ws.joint_n = ws.wrench_n;
    ws.joint_f = ws.wrench_f;
    const std::span<double> left = p1.last(mechanism_.nv);
    take_along_columns(mechanism_, ws, left);
    for (int j = 0; j < mechanism_.nv; ++j) left[j] += ws.tau[j];
    for_each_tree_drive(mechanism_, [&](const DriveElement<double>&, const Link<double>& link) {
      std::fill_n(left.begin() + link.v0, link.nv, 0.0);  // whatever the drive needs
    });
    for (std::size_t i = 0; i < w.links.size(); ++i) put_link(w.links[i].L, w.links[i].P, i, p1);
    hand_to_links(left, p1_low, ws);
    displace_all(d, q1, q1_low, w);
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

  // p0 + J(q0)^T lambda - (L, P) as wrenches on the links and forces in the joints of `start`.
  void fill_residual(DiscreteWorkspace& w) const {
    MotionWorkspace<double>& ws = w.start;
    const std::span<const double> p = w.p0, low = w.p0_low;
    for (std::size_t i = 0; i < w.links.size(); ++i) {
      const LinkStep& step = w.links[i];
      const Vec3<double> f = (force_at(p, i) - step.P) + force_at(low, i);
      const Vec3<double> n = (moment_at(p, i) - step.L) + moment_at(low, i);
      ws.wrench_n[i] = n + cross(ws.links[i].R * mechanism_.bodies[i].com_L, f);
      ws.wrench_f[i] = f;
    }
    for (int j = 0; j < mechanism_.nv; ++j)
      ws.tau[j] = p[p.size() - mechanism_.nv + j] + low[p.size() - mechanism_.nv + j];
    for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
      const RowSource& source = mechanism_.sources[s];
      if (source.link == world) continue;
      ws.wrench_n[source.link] += w.lambda[source.row] * ws.source_n[s];
      ws.wrench_f[source.link] += w.lambda[source.row] * ws.source_f[s];
    }
    for (const RowTerm<double>& term : mechanism_.terms)
      ws.tau[mechanism_.links[term.link].v0 + term.component] += term.factor * w.lambda[term.row];
  }

  // Generalised forces in joints that turn about the link's origin, as moments on the link and its
  // parent: unlike components in turning axes these do not change with the position.
  void hand_to_links(std::span<double> forces, std::span<double> list,
                     const MotionWorkspace<double>& ws) const {
    std::fill(list.begin(), list.end(), 0.0);
    for (std::size_t i = 0; i < mechanism_.links.size(); ++i) {
      const Link<double>& link = mechanism_.links[i];
      double* at = forces.data() + link.v0;
      Vec3<double> n;
      if (link.motion == Motion::rotation1)
        n = at[0] * ws.links[i].s;
      else if (link.motion == Motion::rotation3)
        n = ws.links[i].R * Vec3<double>{at[0], at[1], at[2]};
      else
        continue;
      std::fill_n(at, link.nv, 0.0);
      for (int k = 0; k < 3; ++k) {
        list[6 * i + k] += n[k];
        if (link.parent != world) list[6 * link.parent + k] -= n[k];
      }
    }
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
      gap[source.row] += 0.5 * (dot(w.start.source_n[s] + w.end.source_n[s], log(step.W)) +
                                dot(w.start.source_f[s] + w.end.source_f[s], step.shift));
    }
    for (double& g : gap) g /= w.h;
  }

  void displace_all(std::span<const double> d, std::span<double> q1, std::span<double> low1,
                    const DiscreteWorkspace& w) const {
    for (const Link<double>& link : mechanism_.links)
      displace_coordinates(link, d.data() + link.v0, w.q0.data() + link.q0, w.low0.data() + link.q0,
                           q1.data() + link.q0, low1.data() + link.q0);
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
