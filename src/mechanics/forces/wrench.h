// The law of `wrench`: a force at a point of a link and a torque beside it.
#pragma once

#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct WrenchElement {
  int link = 0;
  Point<S> at;
  int frame = world;
  const Formula* force = nullptr;
  const Formula* torque = nullptr;

  static WrenchElement make(const WrenchForce& f, const auto& build) {
    return {build.link_of(f.body), build.point(f.body, f.at), build.link_of(f.frame),
            build.given(f.force), build.given(f.torque)};
  }

  struct Value {
    Vec3<S> x, force, torque;  // world axes
  };
  Value calc(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    Value value;
    value.x = point_position(ws, at);
    if (force) value.force = evaluate_vector(mechanism, ws, force->program);
    if (torque) value.torque = evaluate_vector(mechanism, ws, torque->program);
    if (frame != world) {
      const Mat3<S> R = body_pose(mechanism, ws, frame).R;
      value.force = R * value.force;
      value.torque = R * value.torque;
    }
    return value;
  }

  ElementEnergy<S> apply(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    const Value value = calc(mechanism, ws);
    add_force(ws, link, value.x, value.force);
    ws.wrench_n[link] += value.torque;
    return {S(0), S(0),
            dot(value.force, point_velocity(ws, at)) + dot(value.torque, ws.links[link].w)};
  }
  S potential(const Mechanism<S>&, MotionWorkspace<S>&) const { return S(0); }
  bool does_work() const { return true; }
  bool uses_speeds() const { return depends_on_speeds(force) || depends_on_speeds(torque); }
  int measured_joint() const { return -1; }
  void list_reach(auto& reach) const {
    reach.read(force);
    reach.read(torque);
    reach.read_link(frame);
    reach.push(link);
  }

  void list_wrenches(auto& out) const {
    const Value value = calc(out.mechanism(), out.ws());
    out.add(link, value.x, value.force, value.torque);
  }
};

template <class S>
struct ElementOf<WrenchForce, S> : std::type_identity<WrenchElement<S>> {};

}  // namespace cartan::mechanics
