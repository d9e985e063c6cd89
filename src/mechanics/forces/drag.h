// The law of `drag`: f = -c |v| v, v relative to the medium or to the body it moves on (which gets
// the reaction).
#pragma once

#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct DragElement {
  Point<S> at;
  int on = world;
  S coefficient{};
  const Formula* medium = nullptr;

  static DragElement make(const DragForce& f, const auto& build) {
    return {build.point(f.body, f.at), build.link_of(f.on), build.number(f.coefficient),
            build.given(f.medium)};
  }

  struct Value {
    Vec3<S> x, v, carried, force;
  };
  Value calc(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    Value value;
    value.x = point_position(ws, at);
    value.v = point_velocity(ws, at);
    if (on != world)
      value.carried = ws.links[on].u + cross(ws.links[on].w, value.x - ws.links[on].o);
    else if (medium)
      value.carried = evaluate_vector(mechanism, ws, medium->program);
    const Vec3<S> relative = value.v - value.carried;
    value.force = -(coefficient * norm(relative)) * relative;
    return value;
  }

  ElementEnergy<S> apply(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    const Value value = calc(mechanism, ws);
    add_force(ws, at.link, value.x, value.force);
    S power = dot(value.force, value.v);
    if (on != world) {
      add_force(ws, on, value.x, -value.force);
      power -= dot(value.force, value.carried);
    }
    return {S(0), S(0), power};
  }
  S potential(const Mechanism<S>&, MotionWorkspace<S>&) const { return S(0); }
  bool does_work() const { return true; }
  bool uses_speeds() const { return true; }
  int measured_joint() const { return -1; }
  void list_reach(auto& reach) const {
    if (on != world) return reach.between(at.link, on);
    reach.read(medium);
    reach.push(at.link);
  }

  void list_wrenches(auto& out) const {
    const Value value = calc(out.mechanism(), out.ws());
    out.add(at.link, value.x, value.force);
    if (on != world) out.add(on, value.x, -value.force);
  }
};

template <class S>
struct ElementOf<DragForce, S> : std::type_identity<DragElement<S>> {};

}  // namespace cartan::mechanics
