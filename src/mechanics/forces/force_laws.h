// The laws of the force elements, each written once: `apply` adds what an element does to the
// wrenches and generalised forces in the workspace and gives back its energy terms. For forces.cpp,
// which sums them up, and applied_forces.cpp, which tells them apart.
#pragma once

#include "lie/so3.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/expression_inputs.h"

namespace cartan::force_laws {

// |a| that may be divided by.
template <class S>
S safe_norm(const Vec3<S>& a) {
  const S length = norm(a);
  return select(less(S(1e-150), length), length, S(1));
}

// Along the line of the two points, d = x_to - x_from:
//   f = -(k (|d| - L) + c n.d') n,  V = k/2 (|d| - L)^2;   L = 0:  f = -k d - c d'
template <class S>
struct SpringForceValue {
  Vec3<S> x_from, x_to, force;  // on `to`
  ElementEnergy<S> energy;
};

template <class S>
SpringForceValue<S> calc_spring(const Spring<S>& e, const MotionWorkspace<S>& ws) {
  SpringForceValue<S> value;
  value.x_from = point_position(ws, e.from);
  value.x_to = point_position(ws, e.to);
  const Vec3<S> d = value.x_to - value.x_from;
  const Vec3<S> rate = point_velocity(ws, e.to) - point_velocity(ws, e.from);
  const S half(0.5);
  if (e.zero_length) {
    value.force = -(e.stiffness * d + e.damping * rate);
    value.energy = {half * e.stiffness * norm2(d), e.stiffness * dot(d, rate),
                    -(e.damping * norm2(rate))};
    return value;
  }
  const Vec3<S> n = (S(1) / safe_norm(d)) * d;
  const S stretch = norm(d) - e.length, speed = dot(n, rate);
  value.force = -(e.stiffness * stretch + e.damping * speed) * n;
  value.energy = {half * e.stiffness * stretch * stretch, e.stiffness * stretch * speed,
                  -(e.damping * speed * speed)};
  return value;
}

template <class S>
ElementEnergy<S> apply(const Spring<S>& e, const Mechanism<S>&, MotionWorkspace<S>& ws) {
  const SpringForceValue<S> value = calc_spring(e, ws);
  add_force(ws, e.to.link, value.x_to, value.force);
  add_force(ws, e.from.link, value.x_from, -value.force);
  return value.energy;
}

// Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll).
template <class S>
Vec3<S> euler321(const Mat3<S>& R) {
  const S sp = -R(2, 0);
  const S cp = sqrt(R(0, 0) * R(0, 0) + R(1, 0) * R(1, 0));
  return {atan2(R(2, 1), R(2, 2)), atan2(sp, cp), atan2(R(1, 0), R(0, 0))};
}

// Angle rates of roll, pitch, yaw belonging to body rates w: columns of the inverse of
//   w = (1, 0, -sp; 0, cr, sr cp; 0, -sr, cr cp) (roll', pitch', yaw')
// transposed: the torque (body axes) dual to moments m on the angles is T^-T m.
template <class S>
Vec3<S> euler321_torque(const Vec3<S>& angle, const Vec3<S>& m) {
  S sr, cr, sp, cp;
  sincos(angle.x, sr, cr);
  sincos(angle.y, sp, cp);
  // gimbal lock is a true singularity of this potential; keep the numbers finite there
  const S tiny(1e-12);
  cp = select(less(abs(cp), tiny), tiny, cp);
  const S along = (m.z + sp * m.x) / cp;
  return {m.x, cr * m.y + sr * along, cr * along - sr * m.y};
}

template <class S>
Vec3<S> list3(const std::vector<S>& a) {
  return {a[0], a[1], a[2]};
}
template <class S>
Vec3<S> times(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

// What a torsion spring of a spherical joint measures, on the side of the half turn that `turns`
// (the entries of the mechanism) tells.
template <class S>
Vec3<S> torsion_angles(const Torsion<S>& e, const Quat<S>& relative, const int* turns) {
  turns += e.turn0;
  if (e.measure != TorsionMeasure::rotation_vector) {
    const Vec3<S> angle = euler321(rotation_matrix(relative));
    return {angle_near(angle.x, turns[0]), angle.y, angle_near(angle.z, turns[1])};
  }
  if (turns[0] == no_turn) return log(relative);
  return log_through(turns[0] < 0 ? -relative : relative);
}

// Torsion spring of a spherical joint; torque in C's axes.
template <class S>
ElementEnergy<S> apply_rotation_spring(const Torsion<S>& e, const JointCoordinates<S>& at,
                                       const int* turns) {
  const Vec3<S> k = list3(e.stiffness);
  const Vec3<S> v{at.v[0], at.v[1], at.v[2]};
  const Quat<S> relative = conjugate(e.rest_rotation) * quaternion_at(at.q);
  const Vec3<S> angle = torsion_angles(e, relative, turns);
  Vec3<S> torque;
  bool conservative = true;
  if (e.measure == TorsionMeasure::rotation_vector) {
    // V' = (K a).a', a' = dexp^-1_{-a} v; its transpose is dexp^-1_{a}
    torque = -SO3<S>::dexp_inverse(angle, times(k, angle));
  } else {
    const Vec3<S> moment = times(k, angle);
    conservative = e.measure == TorsionMeasure::euler321;
    torque = conservative ? -euler321_torque(angle, moment)
                          : -transpose_times(rotation_matrix(relative), moment);
  }
  const Vec3<S> damping = times(list3(e.damping), v);
  for (int i = 0; i < 3; ++i) at.tau[i] += torque[i] - damping[i];
  const S spring_power = dot(torque, v), loss = -dot(damping, v);
  if (!conservative) return {S(0), S(0), spring_power + loss};
  return {S(0.5) * dot(times(k, angle), angle), -spring_power, loss};
}

template <class S>
ElementEnergy<S> apply(const Torsion<S>& e, const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  const JointCoordinates<S> at = coordinates_of(mechanism, ws, e.joint);
  if (e.rotation) return apply_rotation_spring(e, at, turns_in(mechanism, ws));
  ElementEnergy<S> energy;
  for (int i = 0; i < at.joint.nv; ++i) {
    const S stretch = at.q[i] - e.rest[i], rate = at.v[i];
    at.tau[i] -= e.stiffness[i] * stretch + e.damping[i] * rate;
    energy.potential += S(0.5) * e.stiffness[i] * stretch * stretch;
    energy.potential_rate += e.stiffness[i] * stretch * rate;
    energy.power -= e.damping[i] * rate * rate;
  }
  return energy;
}

// A force at a point of a link and a torque beside it, world axes.
template <class S>
struct PointWrench {
  Vec3<S> x, force, torque;
};

template <class S>
PointWrench<S> calc_wrench(const WrenchElement<S>& e, const Mechanism<S>& mechanism,
                           MotionWorkspace<S>& ws) {
  PointWrench<S> value;
  value.x = point_position(ws, e.at);
  if (e.force) value.force = evaluate_vector(mechanism, ws, e.force->program);
  if (e.torque) value.torque = evaluate_vector(mechanism, ws, e.torque->program);
  if (e.frame != world) {
    const Mat3<S> R = body_pose(mechanism, ws, e.frame).R;
    value.force = R * value.force;
    value.torque = R * value.torque;
  }
  return value;
}

template <class S>
ElementEnergy<S> apply(const WrenchElement<S>& e, const Mechanism<S>& mechanism,
                       MotionWorkspace<S>& ws) {
  const PointWrench<S> value = calc_wrench(e, mechanism, ws);
  add_force(ws, e.link, value.x, value.force);
  ws.wrench_n[e.link] += value.torque;
  return {S(0), S(0),
          dot(value.force, point_velocity(ws, e.at)) + dot(value.torque, ws.links[e.link].w)};
}

template <class S>
ElementEnergy<S> apply(const JointElement<S>& e, const Mechanism<S>& mechanism,
                       MotionWorkspace<S>& ws) {
  const JointCoordinates<S> at = coordinates_of(mechanism, ws, e.joint);
  S value[6];
  evaluate_program(mechanism, ws, e.value->program, value);
  ElementEnergy<S> energy;
  for (int i = 0; i < at.joint.nv; ++i) {
    at.tau[i] += value[i];
    energy.power += value[i] * at.v[i];
  }
  return energy;
}

// Any potential V(positions, t): every input is a position, so its adjoint is minus a force.
template <class S>
ElementEnergy<S> apply(const PotentialElement<S>& e, const Mechanism<S>& mechanism,
                       MotionWorkspace<S>& ws) {
  const Program& program = e.value->program;
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
      const JointCoordinates<S> at = coordinates_of(mechanism, ws, symbol.index);
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
      const LinkState<S>& x = ws.links[link];
      Vec3<S> row;
      row[symbol.component / 3] = S(1);
      const Vec3<S> lever = cross(x.R * mechanism.bodies[link].X_LB.R.c[symbol.component % 3], row);
      ws.wrench_n[link] -= slope * lever;
      energy.potential_rate += slope * dot(x.w, lever);
    }
  }
  return energy;
}

// f = -c |v| v, v relative to the medium or to the body it moves on (which gets the reaction).
template <class S>
struct DragForceValue {
  Vec3<S> x, v, carried, force;
};

template <class S>
DragForceValue<S> calc_drag(const DragElement<S>& e, const Mechanism<S>& mechanism,
                            MotionWorkspace<S>& ws) {
  DragForceValue<S> value;
  value.x = point_position(ws, e.at);
  value.v = point_velocity(ws, e.at);
  if (e.on != world) {
    const LinkState<S>& on = ws.links[e.on];
    value.carried = on.u + cross(on.w, value.x - on.o);
  } else if (e.medium) {
    value.carried = evaluate_vector(mechanism, ws, e.medium->program);
  }
  const Vec3<S> relative = value.v - value.carried;
  value.force = -(e.coefficient * norm(relative)) * relative;
  return value;
}

template <class S>
ElementEnergy<S> apply(const DragElement<S>& e, const Mechanism<S>& mechanism,
                       MotionWorkspace<S>& ws) {
  const DragForceValue<S> value = calc_drag(e, mechanism, ws);
  add_force(ws, e.at.link, value.x, value.force);
  S power = dot(value.force, value.v);
  if (e.on != world) {
    add_force(ws, e.on, value.x, -value.force);
    power -= dot(value.force, value.carried);
  }
  return {S(0), S(0), power};
}

template <class S>
ElementEnergy<S> apply(const Friction<S>&, const Mechanism<S>&, MotionWorkspace<S>&) {
  return {};  // friction.cpp, once loads and stuck joints are known
}

}  // namespace cartan::force_laws
