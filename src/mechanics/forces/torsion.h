// The law of `torsion`. Plain coordinates: tau = -k (q - rest) - c v, V = k/2 (q - rest)^2. A ball:
// the same of the rotation from rest to C, as rotation vector or as roll, pitch and yaw.
#pragma once

#include "lie/so3.h"
#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

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
struct Torsion {
  int joint = 0;
  TorsionMeasure measure = TorsionMeasure::rotation_vector;
  bool rotation = false;  // of a ball: a quaternion alone
  std::vector<S> stiffness, damping, rest;
  Quat<S> rest_rotation;
  int turn0 = -1;  // of a ball: first of its entries in Mechanism::turns

  static Torsion make(const TorsionForce& f, const auto& build) {
    Torsion e;
    e.joint = build.joint(f.joint);
    const Joint& joint = build.model().joints[f.joint];
    e.measure = f.measure;
    e.rotation = is_ball(joint.type);
    e.stiffness = build.numbers(f.stiffness, joint.nv());
    e.damping = build.numbers(f.damping, joint.nv());
    if (e.rotation)
      e.rest_rotation = build.quaternion(f.rest_rotation);
    else
      e.rest = build.numbers(f.rest, joint.nv());
    return e;
  }

  Quat<S> relative(const S* q) const { return conjugate(rest_rotation) * quaternion_at(q); }

  // What the spring of a ball measures, on the side of the half turn that `turns` (the entries of
  // the mechanism) tells.
  Vec3<S> angles(const Quat<S>& turn, const int* turns) const {
    turns += turn0;
    if (measure != TorsionMeasure::rotation_vector) {
      const Vec3<S> angle = euler321(rotation_matrix(turn));
      return {angle_near(angle.x, turns[0]), angle.y, angle_near(angle.z, turns[1])};
    }
    if (turns[0] == no_turn) return log(turn);
    return log_through(turns[0] < 0 ? -turn : turn);
  }

  ElementEnergy<S> apply(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    const auto at = coordinates_of(mechanism, ws, joint);
    if (rotation) return apply_rotation(at, turns_in(mechanism, ws));
    ElementEnergy<S> energy;
    for (int i = 0; i < at.joint.nv; ++i) {
      const S stretch = at.q[i] - rest[i], rate = at.v[i];
      at.tau[i] -= stiffness[i] * stretch + damping[i] * rate;
      energy.potential += S(0.5) * stiffness[i] * stretch * stretch;
      energy.potential_rate += stiffness[i] * stretch * rate;
      energy.power -= damping[i] * rate * rate;
    }
    return energy;
  }
  S potential(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    const auto at = coordinates_of(mechanism, ws, joint);
    S sum(0);
    if (!rotation) {
      for (int i = 0; i < at.joint.nv; ++i)
        sum += S(0.5) * stiffness[i] * square(at.q[i] - rest[i]);
      return sum;
    }
    if (measure == TorsionMeasure::euler321_literal) return sum;
    const Vec3<S> angle = angles(relative(at.q), turns_in(mechanism, ws));
    return S(0.5) * dot(times(stiffness, angle), angle);
  }
  bool does_work() const { return measure == TorsionMeasure::euler321_literal || uses_speeds(); }
  bool uses_speeds() const {
    for (const S& c : damping)
      if (value_of(abs(c)) != 0) return true;
    return false;
  }
  // Not of angles in some order (joint_slopes.h).
  bool has_joint_slopes(const Mechanism<S>& mechanism) const {
    const int link = mechanism.link_of_joint[joint];
    if (link < 0) return false;
    return rotation ? measure == TorsionMeasure::rotation_vector
                    : plain_coordinates(mechanism.links[link].type);
  }
  void fill_joint_slopes(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws,
                         auto& slopes) const {
    const Link<S>& link = mechanism.links[mechanism.link_of_joint[joint]];
    for (int k = 0; k < link.nv; ++k) {
      slopes.by_v[k][k] = -damping[k];
      slopes.power_by_v[k] = -S(2) * damping[k] * ws.v[link.v0 + k];
      if (!rotation) slopes.by_q[k][k] = -stiffness[k];
    }
    if (rotation)
      fill_turning_slopes(angles(relative(ws.q + link.q0), turns_in(mechanism, ws)), slopes);
  }
  int measured_joint() const { return joint; }
  void list_reach(auto& reach) const { reach.act_in(joint); }

  void list_wrenches(auto& out) const { out.add_alone(*this, joint); }

 private:
  // Of tau = -dexp^-1_a m with m = K a, along a turn e: da = dexp^-1_{-a} e and
  //   d(dexp^-1_a m) = dexp^-1_a dm - 1/2 da x m + b (da x (a x m) + a x (da x m))
  //                    + b' 2 (a . da) a x (a x m)
  void fill_turning_slopes(const Vec3<S>& a, auto& slopes) const {
    const Vec3<S> m = times(stiffness, a), am = cross(a, m), aam = cross(a, am);
    const S x = norm2(a), b = lie::series::dexp_inverse_coefficient(x),
            b_slope = lie::series::dexp_inverse_slope(x);
    const Mat3<S> by_turn = SO3<S>::dexp_inverse_matrix(-a);
    for (int k = 0; k < 3; ++k) {
      const Vec3<S>& da = by_turn.c[k];
      const Vec3<S> dm = times(stiffness, da), dam = cross(da, m) + cross(a, dm);
      const Vec3<S> change = dm - S(0.5) * dam + b * (cross(da, am) + cross(a, dam)) +
                             (S(2) * b_slope * dot(a, da)) * aam;
      for (int i = 0; i < 3; ++i) slopes.by_q[i][k] = -change[i];
    }
  }

  static Vec3<S> times(const std::vector<S>& a, const Vec3<S>& b) {
    return {a[0] * b.x, a[1] * b.y, a[2] * b.z};
  }

  // Torque in C's axes.
  ElementEnergy<S> apply_rotation(const auto& at, const int* turns) const {
    const Vec3<S> v{at.v[0], at.v[1], at.v[2]};
    const Quat<S> turn = relative(at.q);
    const Vec3<S> angle = angles(turn, turns), moment = times(stiffness, angle);
    Vec3<S> torque;
    bool conservative = true;
    if (measure == TorsionMeasure::rotation_vector) {
      // V' = (K a).a', a' = dexp^-1_{-a} v; its transpose is dexp^-1_{a}
      torque = -SO3<S>::dexp_inverse(angle, moment);
    } else {
      conservative = measure == TorsionMeasure::euler321;
      torque = conservative ? -euler321_torque(angle, moment)
                            : -transpose_times(rotation_matrix(turn), moment);
    }
    const Vec3<S> loss = times(damping, v);
    for (int i = 0; i < 3; ++i) at.tau[i] += torque[i] - loss[i];
    const S spring_power = dot(torque, v), power = -dot(loss, v);
    if (!conservative) return {S(0), S(0), spring_power + power};
    return {S(0.5) * dot(moment, angle), -spring_power, power};
  }
};

template <class S>
struct ElementOf<TorsionForce, S> : std::type_identity<Torsion<S>> {};

}  // namespace cartan::mechanics
