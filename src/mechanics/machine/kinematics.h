// Positions, velocities and bias accelerations of all links, world axes, O(n).
//
//   o_i = o_p + r_i                       w_i = w_p + Phi_i v_i
//   u_i = u_p + w_p x r_i + Psi_i v_i     (velocity of the link origin)
//   cw_i = (Phi_i)' v_i                   cu_i = w_p x (w_p x r_i) + w_p x Psi_i v_i + (Psi_i)' v_i
// so that  dw_i = dw_p + cw_i + Phi_i v_i',  du_i = du_p + dw_p x r_i + cu_i + Psi_i v_i'.
#pragma once

#include <span>

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

template <class S>
void fill_kinematics(const Mechanism<S>& mechanism, const S& t, const S* q, const S* v,
                     MotionWorkspace<S>& ws);

// The last part of it, for links that are placed and moved already: gravity and constraints.
template <class S>
void finish_kinematics(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// World columns and their rates for every speed (fill_kinematics leaves out the simple joints).
template <class S>
void fill_columns(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// Link accelerations from ws.vdot, with -gravity as the acceleration of the world.
template <class S>
void fill_accelerations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// Of one link alone: its accelerations from those of its parent; and in ws.joint_n, joint_f what
// its own motion takes beside the applied wrenches.
template <class S>
void fill_acceleration(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int link);
template <class S>
void start_reaction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int link);

// Wrench each link receives through its tree joint (about the link origin, world axes), from the
// accelerations and the applied wrenches: one backward recursion.
template <class S>
void fill_reactions(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// Generalised forces that would produce ws.vdot with the applied wrenches acting (ws.tau is not
// subtracted): M v' + bias. Fills accelerations and reactions.
template <class S>
void calc_inverse_dynamics(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::span<S> tau);

// Component k of the generalised force a link's joint transmits: column . reaction wrench.
template <class S>
S joint_force_component(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int i, int k) {
  const Link<S>& link = mechanism.links[i];
  if (link.motion == Motion::rotation1) return dot(ws.links[i].s, ws.joint_n[i]);
  if (link.motion == Motion::rotation3) return dot(ws.links[i].R.c[k], ws.joint_n[i]);
  return dot(ws.phi[link.v0 + k], ws.joint_n[i]) + dot(ws.psi[link.v0 + k], ws.joint_f[i]);
}

template <class S>
Vec3<S> point_position(const MotionWorkspace<S>& ws, const Point<S>& point) {
  if (point.link == world) return point.p;
  const LinkState<S>& link = ws.links[point.link];
  return link.o + link.R * point.p;
}
// A direction given in a link, world axes.
template <class S>
Vec3<S> direction_at(const MotionWorkspace<S>& ws, int link, const Vec3<S>& d) {
  return link == world ? d : ws.links[link].R * d;
}
template <class S>
Vec3<S> point_velocity(const MotionWorkspace<S>& ws, const Point<S>& point) {
  if (point.link == world) return {};
  const LinkState<S>& link = ws.links[point.link];
  return link.u + cross(link.w, link.R * point.p);
}
// From the accelerations of the links, which hold -gravity.
template <class S>
Vec3<S> point_acceleration(const MotionWorkspace<S>& ws, const Point<S>& point) {
  if (point.link == world) return {};
  const LinkState<S>& link = ws.links[point.link];
  const Vec3<S> arm = link.R * point.p;
  return link.du + ws.gravity + cross(link.dw, arm) + cross(link.w, cross(link.w, arm));
}
// Force at a world point on a link.
template <class S>
void add_force(MotionWorkspace<S>& ws, int link, const Vec3<S>& position, const Vec3<S>& force) {
  if (link == world) return;
  ws.wrench_f[link] += force;
  ws.wrench_n[link] += cross(position - ws.links[link].o, force);
}
template <class S>
Pose<S> body_pose(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int link) {
  const LinkState<S>& l = ws.links[link];
  const Pose<S>& X = mechanism.bodies[link].X_LB;
  Pose<S> pose;
  pose.R = l.R * X.R;
  pose.p = l.o + l.R * X.p;
  return pose;
}

}  // namespace cartan::mechanics
