#include "mechanics/forces/applied_forces.h"

#include <algorithm>

#include "core/dense.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/force_laws.h"

namespace cartan::mechanics {
namespace {

// The columns of a tree joint's speeds as motions of the child relative to the parent, at C's
// origin. The links' columns are those of the outboard body at the link's origin, which is the
// parent's where the tree crosses the joint from child to parent.
struct ChildColumns {
  Vec3<double> point;
  std::vector<Vec3<double>> phi, psi;

  ChildColumns(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws, int i) {
    const Link<double>& link = mechanism.links[i];
    const LinkState<double>& x = ws.links[i];
    const bool reversed = mechanism.model->tree[i].reversed;
    Vec3<double> arm;
    if (reversed && link.motion != Motion::rotation1)
      arm = x.R * forward_motion(link, ws.q + link.q0, ws.v + link.v0).p;
    point = x.o + arm;
    for (int k = link.v0; k < link.v0 + link.nv; ++k) {
      phi.push_back(reversed ? -ws.phi[k] : ws.phi[k]);
      psi.push_back(reversed ? -(ws.psi[k] + cross(ws.phi[k], arm)) : ws.psi[k]);
    }
  }
};

JointWrench tree_joint_wrench(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                              int i, const double* tau) {
  const ChildColumns columns(mechanism, ws, i);
  const int nv = mechanism.links[i].nv;
  const auto turns = [&](int k) { return norm2(columns.phi[k]) > 0; };
  Eigen::MatrixXd A(nv, nv);
  for (int j = 0; j < nv; ++j)
    for (int k = 0; k < nv; ++k)
      A(j, k) =
          turns(k) ? dot(columns.phi[j], columns.phi[k]) : dot(columns.psi[j], columns.psi[k]);
  JointWrench wrench{columns.point, {}, {}};
  if (nv == 0) return wrench;
  const Eigen::VectorXd c = A.partialPivLu().solve(Eigen::Map<const Eigen::VectorXd>(tau, nv));
  for (int k = 0; k < nv; ++k) {
    if (turns(k))
      wrench.torque += c(k) * columns.phi[k];
    else
      wrench.force += c(k) * columns.psi[k];
  }
  return wrench;
}

// As apply_loop_forces has it.
JointWrench loop_joint_wrench(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                              int l, const double* tau) {
  JointWrench wrench{ws.loops[l].o_C, {}, {}};
  const Link<double>& shape = mechanism.loops[l].shape;
  for (int k = 0; k < shape.nv; ++k) {
    wrench.torque += tau[k] * ws.loop_speed[shape.v0 + k].alpha;
    wrench.force += tau[k] * ws.loop_speed[shape.v0 + k].beta;
  }
  return wrench;
}

class Lister {
 public:
  Lister(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws)
      : mechanism_(mechanism), ws_(ws) {}

  std::vector<AppliedWrench> list() {
    for (element_ = 0; element_ < static_cast<int>(mechanism_.forces.size()); ++element_)
      std::visit([&](const auto& e) { e.list_wrenches(*this); }, mechanism_.forces[element_]);
    constraint_ = true;
    for (element_ = 0; element_ < static_cast<int>(mechanism_.constraints.size()); ++element_)
      std::visit([&](const auto& e) { e.list_wrenches(*this); }, mechanism_.constraints[element_]);
    return std::move(result_);
  }

  // ---- what forces and constraints list themselves with (mechanics/forces/TYPE.h,
  // mechanics/constraints/TYPE.h)

  const Mechanism<double>& mechanism() const { return mechanism_; }
  MotionWorkspace<double>& ws() { return ws_; }
  int element() const { return element_; }

  static void once(std::vector<int>& list, int index) {
    if (std::find(list.begin(), list.end(), index) == list.end()) list.push_back(index);
  }

  template <class Element>
  void add_alone(const Element& e, int joint) {
    clear();
    e.apply(mechanism_, ws_);
    add_joint(joint);
  }

  void clear() {
    std::fill(ws_.tau.begin(), ws_.tau.end(), 0.0);
    std::fill(ws_.loop_tau.begin(), ws_.loop_tau.end(), 0.0);
    std::fill(ws_.wrench_n.begin(), ws_.wrench_n.end(), Vec3<double>{});
    std::fill(ws_.wrench_f.begin(), ws_.wrench_f.end(), Vec3<double>{});
  }

  void add_joint(int joint) {
    const int i = mechanism_.link_of_joint[joint];
    const double* tau =
        i >= 0 ? ws_.tau.data() + mechanism_.links[i].v0
               : ws_.loop_tau.data() + mechanism_.loops[mechanism_.loop_of_joint[joint]].shape.v0;
    const JointWrench w = calc_joint_wrench(mechanism_, ws_, joint, tau);
    const Joint& of = mechanism_.model->joints[joint];
    result_.push_back({element_, constraint_, of.child.body, w.point, w.force, w.torque, true});
    result_.push_back({element_, constraint_, of.parent.body, w.point, -w.force, -w.torque, true});
  }

  void add(int link, const Vec3<double>& point, const Vec3<double>& force,
           const Vec3<double>& torque = {}) {
    const int body = link == world ? world : mechanism_.bodies[link].body;
    result_.push_back({element_, constraint_, body, point, force, torque});
  }
  // ---- constraints: multipliers times the wrenches of their rows

  int first_row() const { return mechanism_.constraint_row0[element_]; }

  // f(source, multiplier) for the rows of this constraint, on one of its two sides.
  template <class F>
  void for_each_source(bool first_side, F&& f) const {
    for (std::size_t s = 0; s < mechanism_.sources.size(); ++s) {
      const RowSource& source = mechanism_.sources[s];
      if (mechanism_.rows[source.row].element == element_ && source.on_child == first_side)
        f(s, ws_.lambda[source.row]);
    }
  }
  Vec3<double> row_force(bool first_side) const {
    Vec3<double> force;
    for_each_source(first_side, [&](std::size_t s, double l) { force += l * ws_.source_f[s]; });
    return force;
  }
  // Of three forces f in orthogonal unit directions at one point r, with moments m = r x f:
  //   sum f x m = sum (r - (r.f) f) = 2 r
  Vec3<double> contact_point(int link) const {
    Vec3<double> twice;
    for_each_source(
        true, [&](std::size_t s, double) { twice += cross(ws_.source_f[s], ws_.source_n[s]); });
    return (link == world ? Vec3<double>{} : ws_.links[link].o) + 0.5 * twice;
  }

 private:
  const Mechanism<double>& mechanism_;
  MotionWorkspace<double>& ws_;
  int element_ = 0;
  bool constraint_ = false;
  std::vector<AppliedWrench> result_;
};

}  // namespace

JointWrench calc_joint_wrench(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                              int joint, const double* tau) {
  const int i = mechanism.link_of_joint[joint];
  return i >= 0 ? tree_joint_wrench(mechanism, ws, i, tau)
                : loop_joint_wrench(mechanism, ws, mechanism.loop_of_joint[joint], tau);
}

bool needs_accelerations(const Mechanism<double>& mechanism) {
  return mechanism.has_friction || !mechanism.constraints.empty();
}

std::vector<AppliedWrench> list_applied_forces(const Mechanism<double>& mechanism,
                                               MotionWorkspace<double>& ws) {
  fill_columns(mechanism, ws);
  // the elements share the places in which forces are summed up
  const auto tau = ws.tau, loop_tau = ws.loop_tau;
  const auto wrench_n = ws.wrench_n, wrench_f = ws.wrench_f;
  std::vector<AppliedWrench> result = Lister(mechanism, ws).list();
  ws.tau = tau;
  ws.loop_tau = loop_tau;
  ws.wrench_n = wrench_n;
  ws.wrench_f = wrench_f;
  return result;
}

}  // namespace cartan::mechanics
