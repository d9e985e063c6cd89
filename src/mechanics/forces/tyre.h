// The law of `tyre`: a wheel whose contact with a plane gives way sideways.
//   d = (n.a) a - n, made a unit vector; c = o + R d    lowest point of the rim
//   h = a x n, made a unit vector; l = n x h            heading, and across it
//   in the plane e' = -l.v_c - |h.v_o| e / s                         deflection
//   e, relaxation length s F = (C / s) e l  at c,  M = -t (C / s) e n on the
//   wheel; t: pneumatic trail
// With a constant slip angle a = l.v / |h.v| the deflection tends to -s a and
// the force to -C a. The spin of the wheel moves c along h alone and does not
// count. The load is not part of the law: C is that of the load the wheel
// bears.
#pragma once

#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct TyreElement {
  Point<S> center;
  Vec3<S> axis, normal;
  S radius{}, stiffness{}, relaxation{}, trail{};
  int deflection = 0;  // among the variables

  static TyreElement make(const TyreForce& f, const auto& build) {
    TyreElement e;
    e.center = build.point(f.body, f.at);
    e.axis = build.direction(f.body, f.axis);
    e.normal = build.direction(world, f.normal);
    e.radius = build.number(f.radius);
    e.stiffness = build.number(f.stiffness);
    e.relaxation = build.number(f.relaxation);
    e.trail = build.number(f.trail);
    e.deflection = f.deflection;
    return e;
  }

  struct Value {
    Vec3<S> contact, across, force, moment;
    S slip, travel;  // speeds across and along
  };
  Value calc(const MotionWorkspace<S>& ws) const {
    Value value;
    const Vec3<S> a = direction_at(ws, center.link, axis), &n = normal;
    const Vec3<S> down = dot(n, a) * a - n, ahead = cross(a, n);
    const Vec3<S> heading = (S(1) / norm(ahead)) * ahead;
    const Vec3<S> arm = (radius / norm(down)) * down, v = point_velocity(ws, center);
    value.contact = point_position(ws, center) + arm;
    value.across = cross(n, heading);
    value.slip = dot(value.across, v + cross(ws.links[center.link].w, arm));
    value.travel = abs(dot(heading, v));
    const S push = stiffness / relaxation * ws.variables[deflection];
    value.force = push * value.across;
    value.moment = -(trail * push) * n;
    return value;
  }
  S deflection_rate(const MotionWorkspace<S>& ws) const {
    const Value value = calc(ws);
    return -value.slip - value.travel * ws.variables[deflection] / relaxation;
  }

  ElementEnergy<S> apply(const Mechanism<S>&, MotionWorkspace<S>& ws) const {
    const Value value = calc(ws);
    add_force(ws, center.link, value.contact, value.force);
    ws.wrench_n[center.link] += value.moment;
    const Vec3<S>& w = ws.links[center.link].w;
    return {S(0), S(0), dot(value.force, value.across) * value.slip + dot(value.moment, w)};
  }
  S potential(const Mechanism<S>&, MotionWorkspace<S>&) const { return S(0); }
  bool does_work() const { return true; }
  bool uses_speeds() const { return false; }
  int measured_joint() const { return -1; }

  void list_wrenches(auto& out) const {
    const Value value = calc(out.ws());
    out.add(center.link, value.contact, value.force, value.moment);
  }
};

template <class S>
struct ElementOf<TyreForce, S> : std::type_identity<TyreElement<S>> {};

}  // namespace cartan::mechanics
