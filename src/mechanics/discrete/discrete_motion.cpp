#include "mechanics/discrete/discrete_motion.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "lie/so3.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/discrete/discrete_node.h"
#include "mechanics/joints/joint_displacement.h"

namespace cartan::mechanics {
namespace {

using namespace discrete;

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

class DiscreteMotion final : public DiscreteMechanics {
 public:
  DiscreteMotion(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual_mechanism)
      : mechanism_(mechanism), dual_mechanism_(dual_mechanism) {
    // impulses enter as forces, also where the file has none
    mechanism_.has_forces = dual_mechanism_.has_forces = true;
    for (const ForceElement<double>& e : mechanism_.forces)
      speeds_act_ |= std::visit([](const auto& law) { return law.uses_speeds(); }, e);
  }

  std::string refusal() const override {
    if (mechanism_.nz > 0)
      return "variational integrates positions and momenta, and the [variables] beside the bodies "
             "are neither; use gl1 to gl8, rk45 or dop853";
    if (!mechanism_.loop_rotors.empty())
      return "variational knows rotors (`inertia`) of joints whose coordinates are in the state; "
             "here one turns with a joint that closes a loop: use gl1 to gl8, or for a tree the "
             "formulation recursive";
    if (mechanism_.friction_modes == 0) return "";
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
    for (int j = 0; j < mechanism_.nv; ++j)
      p[p.size() - mechanism_.nv + j] = mechanism_.rotor[j] * ws.v[j];
  }

  bool calc_forces(StateView at, std::span<double> F, Workspace& workspace) const override {
    return discrete::calc_forces(mechanism_, at.t, at.x.data(), at.x.data() + mechanism_.nq,
                                 at.mode, own(workspace).node, F);
  }

  void calc_speeds(StateView guess, std::span<const double> p, std::span<double> v,
                   Workspace& workspace) const override {
    discrete::calc_speeds(mechanism_, guess.t, guess.x.data(), guess.x.data() + mechanism_.nq,
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
      discrete::calc_forces(dual_mechanism_, Dual4(at.t), node.q.data(), node.v.data(), at.mode,
                            node, std::span<Dual4>(node.F));
      discrete::calc_speeds(dual_mechanism_, Dual4(at.t), node.q.data(), node.zeros.data(), at.mode,
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
    fill_residual(d, w);
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
    fill_residual(d, w);
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
    for (int j = 0; j < mechanism_.nv; ++j) left[j] += mechanism_.rotor[j] * d[j] / w.h;
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
  // Rotors have the momenta I d / h along their coordinates.
  void fill_residual(std::span<const double> d, DiscreteWorkspace& w) const {
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
      ws.tau[j] = (p[p.size() - mechanism_.nv + j] - mechanism_.rotor[j] * d[j] / w.h) +
                  low[p.size() - mechanism_.nv + j];
    for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
      const RowSource& source = mechanism_.sources[s];
      if (source.link == world) continue;
      ws.wrench_n[source.link] += w.lambda[source.row] * ws.source_n[s];
      ws.wrench_f[source.link] += w.lambda[source.row] * ws.source_f[s];
    }
    for (std::size_t k = 0; k < mechanism_.terms.size(); ++k) {
      const RowTerm<double>& term = mechanism_.terms[k];
      ws.tau[mechanism_.links[term.link].v0 + term.component] +=
          ws.term_factor[k] * w.lambda[term.row];
    }
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

}  // namespace cartan::mechanics
