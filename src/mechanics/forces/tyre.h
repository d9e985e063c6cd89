// The law of `tyre`: a wheel (centre o, axis a) whose contact with a plane (normal n, of the body
// it rolls on) gives way sideways.
//   d = (n.a) a - n, made a unit vector; c = o + R d     lowest point of the rim
//   h = a x n, made a unit vector;       l = n x h       heading, and across it in the plane
//   e' = -l.v_c - |h.v_o| e / s                          deflection e, relaxation length s
//   F = (C / s) e l at c,   M = -t (C / s) e n           on the wheel; t: pneumatic trail
// Velocities are relative to the body it rolls on, which gets the opposite. At a constant slip
// angle b, tan b = l.v / |h.v|, the deflection tends to -s tan b and the force to -C tan b. The
// spin of the wheel moves c along h alone and does not count. C belongs to the load the wheel
// bears: the law does not ask for it.
// Source: H. B. Pacejka, Tire and Vehicle Dynamics, 3rd ed. (2012), section 5.4.1: the
// straight-tangent model of the stretched string, e' + |V| e / s = -V_y in these signs.
#pragma once

#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct TyreElement {
  Point<S> center;
  int on = world;
  Vec3<S> axis, normal;  // in the axes of their links
  S radius{}, stiffness{}, relaxation{}, trail{};
  int deflection = 0;  // among the variables

  static TyreElement make(const TyreForce& f, const auto& build) {
    TyreElement e;
    e.center = build.point(f.body, f.at);
    e.on = build.link_of(f.on);
    e.axis = build.direction(f.body, f.axis);
    e.normal = build.direction(f.on, f.normal);
    e.radius = build.number(f.radius);
    e.stiffness = build.number(f.stiffness);
    e.relaxation = build.number(f.relaxation);
    e.trail = build.number(f.trail);
    e.deflection = f.deflection;
    return e;
  }

  struct Value {
    Vec3<S> contact, force, moment;
    S slip, travel, turn;  // speeds across and along; rotation about the normal
    S push;                // (C / s) e
  };
  Value calc(const MotionWorkspace<S>& ws) const {
    Value value;
    const Vec3<S> a = direction_at(ws, center.link, axis), n = direction_at(ws, on, normal);
    const Vec3<S> down = dot(n, a) * a - n, ahead = cross(a, n);
    const Vec3<S> heading = (S(1) / norm(ahead)) * ahead, across = cross(n, heading);
    const Vec3<S> arm = (radius / norm(down)) * down, o = point_position(ws, center);
    Vec3<S> v = point_velocity(ws, center), w = ws.links[center.link].w;
    if (on != world) {
      const auto& ground = ws.links[on];
      v -= ground.u + cross(ground.w, o - ground.o);
      w -= ground.w;
    }
    value.contact = o + arm;
    value.slip = dot(across, v + cross(w, arm));
    value.travel = abs(dot(heading, v));
    value.turn = dot(n, w);
    value.push = stiffness / relaxation * ws.variables[deflection];
    value.force = value.push * across;
    value.moment = -(trail * value.push) * n;
    return value;
  }

  // The rate of its variable.
  void fill_variable_rates(const MotionWorkspace<S>& ws, S* rates) const {
    const Value value = calc(ws);
    rates[deflection] = -value.slip - value.travel * ws.variables[deflection] / relaxation;
  }

  ElementEnergy<S> apply(const Mechanism<S>&, MotionWorkspace<S>& ws) const {
    const Value value = calc(ws);
    add_force(ws, center.link, value.contact, value.force);
    add_force(ws, on, value.contact, -value.force);
    ws.wrench_n[center.link] += value.moment;
    if (on != world) ws.wrench_n[on] -= value.moment;
    return {S(0), S(0), value.push * (value.slip - trail * value.turn)};
  }
  S potential(const Mechanism<S>&, MotionWorkspace<S>&) const { return S(0); }
  bool does_work() const { return true; }
  bool uses_speeds() const { return false; }
  int measured_joint() const { return -1; }
  // Its variable has no formula of its own.
  void list_reach(auto& reach) const { reach.leave_to_dual_numbers(); }

  void list_wrenches(auto& out) const {
    const Value value = calc(out.ws());
    out.add(center.link, value.contact, value.force, value.moment);
    if (on != world) out.add(on, value.contact, -value.force, -value.moment);
  }
};

template <class S>
struct ElementOf<TyreForce, S> : std::type_identity<TyreElement<S>> {};

}  // namespace cartan::mechanics
