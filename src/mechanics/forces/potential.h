// The law of `potential`, any V(positions, t): every input is a position, so its adjoint is minus a
// force.
#pragma once

#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct PotentialElement {
  const Formula* value = nullptr;

  static PotentialElement make(const PotentialForce& f, const auto&) { return {&f.value}; }

  ElementEnergy<S> apply(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    const Program& program = value->program;
    ElementEnergy<S> energy;
    energy.potential =
        evaluate_gradient<S>(program, 0, gather_inputs(mechanism, ws, program), ws.scratch,
                             ws.adjoints, std::span<S>(ws.gradient.data(), program.inputs.size()));
    for (std::size_t k = 0; k < program.inputs.size(); ++k) {
      const Symbol& symbol = program.inputs[k];
      const S slope = ws.gradient[k];
      if (symbol.quantity == Quantity::time) {
        energy.potential_rate += slope;
        energy.power += slope;
      } else if (symbol.quantity == Quantity::joint_q) {
        const auto at = coordinates_of(mechanism, ws, symbol.index);
        S g[7], rate[7];
        for (S& entry : g) entry = S(0);
        g[symbol.component] = slope;
        add_force_from_gradient(at.joint, at.q, g, S(-1), at.tau);
        calc_coordinate_rates(at.joint, at.q, at.v, rate);
        energy.potential_rate += slope * rate[symbol.component];
      } else if (symbol.quantity == Quantity::body_position) {
        const int link = mechanism.link_of_body[symbol.index];
        const Point<S> origin{link, mechanism.bodies[link].X_LB.p};
        Vec3<S> force;
        force[symbol.component] = -slope;
        add_force(ws, link, point_position(ws, origin), force);
        energy.potential_rate += slope * point_velocity(ws, origin)[symbol.component];
      } else if (symbol.quantity == Quantity::point_position) {
        const Point<S>& point = mechanism.points[symbol.index];
        Vec3<S> force;
        force[symbol.component] = -slope;
        add_force(ws, point.link, point_position(ws, point), force);
        energy.potential_rate += slope * point_velocity(ws, point)[symbol.component];
      } else if (symbol.quantity == Quantity::body_rotation) {
        // dR_ij = (turn x R_j)_i = turn . (R_j x e_i)
        const int link = mechanism.link_of_body[symbol.index];
        const auto& x = ws.links[link];
        Vec3<S> row;
        row[symbol.component / 3] = S(1);
        const Vec3<S> lever =
            cross(x.R * mechanism.bodies[link].X_LB.R.c[symbol.component % 3], row);
        ws.wrench_n[link] -= slope * lever;
        energy.potential_rate += slope * dot(x.w, lever);
      }
    }
    return energy;
  }
  S potential(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    S result;
    evaluate_program(mechanism, ws, value->program, &result);
    return result;
  }
  bool does_work() const { return value->program.depends_on(Quantity::time); }
  bool uses_speeds() const { return false; }
  int measured_joint() const { return -1; }
  // It acts where it reads.
  void list_reach(auto& reach) const {
    for (const Symbol& symbol : value->program.inputs) {
      reach.read(symbol);
      switch (symbol.quantity) {
        case Quantity::joint_q:
          reach.act_in(symbol.index);
          break;
        case Quantity::body_position:
        case Quantity::body_rotation:
          reach.push(reach.mechanism().link_of_body[symbol.index]);
          break;
        case Quantity::point_position:
          reach.push(reach.mechanism().points[symbol.index].link);
          break;
        default:
          break;
      }
    }
  }

  // At the origins of the bodies and at the joints that V mentions.
  void list_wrenches(auto& out) const {
    out.clear();
    apply(out.mechanism(), out.ws());
    std::vector<int> bodies, joints;
    for (const Symbol& symbol : value->program.inputs) {
      if (symbol.quantity == Quantity::body_position || symbol.quantity == Quantity::body_rotation)
        out.once(bodies, symbol.index);
      if (symbol.quantity == Quantity::point_position &&
          out.mechanism().points[symbol.index].link != world)
        out.once(bodies, out.mechanism().bodies[out.mechanism().points[symbol.index].link].body);
      if (symbol.quantity == Quantity::joint_q) out.once(joints, symbol.index);
    }
    for (int body : bodies) {
      const int link = out.mechanism().link_of_body[body];
      const Vec3<double> origin = body_pose(out.mechanism(), out.ws(), link).p;
      const Vec3<double>& force = out.ws().wrench_f[link];
      out.add(link, origin, force,
              out.ws().wrench_n[link] - cross(origin - out.ws().links[link].o, force));
    }
    for (int joint : joints) out.add_joint(joint);
  }
};

template <class S>
struct ElementOf<PotentialForce, S> : std::type_identity<PotentialElement<S>> {};

}  // namespace cartan::mechanics
