// The law of `spring`, along the line of the two points, d = x_to - x_from:
//   f = -(k (|d| - L) + c n.d') n,  V = k/2 (|d| - L)^2;   L = 0:  f = -k d - c d'
#pragma once

#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct Spring {
  Point<S> from, to;
  S stiffness{}, damping{}, length{};
  bool zero_length = false;

  static Spring make(const SpringForce& f, const auto& build) {
    Spring e{build.point(f.from.body, f.from.at), build.point(f.to.body, f.to.at),
             build.number(f.stiffness), build.number(f.damping), build.number(f.length)};
    e.zero_length = build.is_zero(e.length);
    return e;
  }

  struct Value {
    Vec3<S> x_from, x_to, force;  // on `to`
    ElementEnergy<S> energy;
  };
  Value calc(const MotionWorkspace<S>& ws) const {
    Value value;
    value.x_from = point_position(ws, from);
    value.x_to = point_position(ws, to);
    const Vec3<S> d = value.x_to - value.x_from;
    const Vec3<S> rate = point_velocity(ws, to) - point_velocity(ws, from);
    const S half(0.5);
    if (zero_length) {
      value.force = -(stiffness * d + damping * rate);
      value.energy = {half * stiffness * norm2(d), stiffness * dot(d, rate),
                      -(damping * norm2(rate))};
      return value;
    }
    const Vec3<S> n = (S(1) / safe_norm(d)) * d;
    const S stretch = norm(d) - length, speed = dot(n, rate);
    value.force = -(stiffness * stretch + damping * speed) * n;
    value.energy = {half * stiffness * stretch * stretch, stiffness * stretch * speed,
                    -(damping * speed * speed)};
    return value;
  }

  ElementEnergy<S> apply(const Mechanism<S>&, MotionWorkspace<S>& ws) const {
    const Value value = calc(ws);
    add_force(ws, to.link, value.x_to, value.force);
    add_force(ws, from.link, value.x_from, -value.force);
    return value.energy;
  }
  S potential(const Mechanism<S>&, MotionWorkspace<S>& ws) const {
    return calc(ws).energy.potential;
  }
  bool does_work() const { return value_of(abs(damping)) != 0; }
  bool uses_speeds() const { return does_work(); }
  int measured_joint() const { return -1; }
  // Without a length the damper acts against the whole velocity, also where both bodies turn.
  void list_reach(auto& reach) const {
    if (!zero_length || damping == 0) return reach.between(to.link, from.link);
    reach.push(to.link);
    reach.push(from.link);
  }

  void list_wrenches(auto& out) const {
    const Value value = calc(out.ws());
    out.add(from.link, value.x_from, -value.force);
    out.add(to.link, value.x_to, value.force);
  }
};

template <class S>
struct ElementOf<SpringForce, S> : std::type_identity<Spring<S>> {};

}  // namespace cartan::mechanics
