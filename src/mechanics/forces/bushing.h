// The law of `bushing` between the frames F (`from`) and T (`to`). With d the place of T's origin
// in F's axes and a the rotation vector of R_F^T R_T, w the angular velocity of T relative to F in
// T's axes:
//   V = 1/2 d.K d + 1/2 a.K_r a
//   force on T at its origin, F's axes    f = -K d - C d'
//   torque on T, T's axes                 n = -dexp^-1_a (K_r a) - C_r w
// F gets the opposite at the same point: d' is the rate in axes that turn with F.
#pragma once

#include "lie/so3.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct Bushing {
  int from = world, to = world;      // links
  Pose<S> F, T;                      // frames in them
  Vec3<S> stiffness[2], damping[2];  // along, about

  static Bushing make(const BushingForce& f, const auto& build) {
    Bushing e;
    e.from = build.link_of(f.from.body);
    e.to = build.link_of(f.to.body);
    e.F = build.frame(f.from);
    e.T = build.frame(f.to);
    const std::vector<S> k = build.numbers(f.stiffness, 6), c = build.numbers(f.damping, 6);
    for (int i = 0; i < 2; ++i) {
      e.stiffness[i] = {k[3 * i], k[3 * i + 1], k[3 * i + 2]};
      e.damping[i] = {c[3 * i], c[3 * i + 1], c[3 * i + 2]};
    }
    return e;
  }

  struct Value {
    Vec3<S> x, force, torque;  // on T at its origin, world axes
    ElementEnergy<S> energy;
  };
  Value calc(const MotionWorkspace<S>& ws) const {
    const Side a = side(ws, from, F), b = side(ws, to, T);
    Value value;
    value.x = b.x;
    const Vec3<S> arm = b.x - a.x;
    const Vec3<S> d = transpose_times(a.R, arm);
    const Vec3<S> rate = transpose_times(a.R, b.u - a.u - cross(a.w, arm));
    const Vec3<S> turn = log(from_rotation_matrix(transpose(a.R) * b.R));
    const Vec3<S> w = transpose_times(b.R, b.w - a.w);
    const Vec3<S> pull = times(stiffness[0], d), twist = times(stiffness[1], turn);
    const Vec3<S> torque = -SO3<S>::dexp_inverse(turn, twist);
    const Vec3<S> loss = times(damping[0], rate), turning_loss = times(damping[1], w);
    value.force = -(a.R * (pull + loss));
    value.torque = b.R * (torque - turning_loss);
    value.energy = {S(0.5) * (dot(pull, d) + dot(twist, turn)), dot(pull, rate) - dot(torque, w),
                    -(dot(loss, rate) + dot(turning_loss, w))};
    return value;
  }

  ElementEnergy<S> apply(const Mechanism<S>&, MotionWorkspace<S>& ws) const {
    const Value value = calc(ws);
    add_force(ws, to, value.x, value.force);
    add_force(ws, from, value.x, -value.force);
    if (to != world) ws.wrench_n[to] += value.torque;
    if (from != world) ws.wrench_n[from] -= value.torque;
    return value.energy;
  }
  S potential(const Mechanism<S>&, MotionWorkspace<S>& ws) const {
    return calc(ws).energy.potential;
  }
  bool does_work() const {
    return value_of(norm2(damping[0])) != 0 || value_of(norm2(damping[1])) != 0;
  }
  bool uses_speeds() const { return does_work(); }
  int measured_joint() const { return -1; }
  void list_reach(auto& reach) const { reach.between(to, from); }

  void list_wrenches(auto& out) const {
    const Value value = calc(out.ws());
    out.add(from, value.x, -value.force, -value.torque);
    out.add(to, value.x, value.force, value.torque);
  }

 private:
  struct Side {
    Mat3<S> R;
    Vec3<S> x, w, u;  // place, angular velocity, velocity; world axes
  };
  static Side side(const MotionWorkspace<S>& ws, int link, const Pose<S>& X) {
    if (link == world) return {X.R, X.p, {}, {}};
    const auto& l = ws.links[link];
    const Vec3<S> arm = l.R * X.p;
    return {l.R * X.R, l.o + arm, l.w, l.u + cross(l.w, arm)};
  }
  static Vec3<S> times(const Vec3<S>& a, const Vec3<S>& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
  }
};

template <class S>
struct ElementOf<BushingForce, S> : std::type_identity<Bushing<S>> {};

}  // namespace cartan::mechanics
