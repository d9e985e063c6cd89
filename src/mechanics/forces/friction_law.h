// The law of friction in one joint, for given loads of its bearings and a given discrete state; see
// dry_friction.h.
#pragma once

#include <cmath>
#include <cstdlib>

#include "mechanics/constraints/constraints.h"

namespace cartan::mechanics {

template <class S, class F>
void for_each_friction(const Mechanism<S>& mechanism, F&& f) {
  for (std::size_t k = 0; k < mechanism.forces.size(); ++k)
    if (const auto* e = std::get_if<Friction<S>>(&mechanism.forces[k])) f(static_cast<int>(k), *e);
}

// An unsmoothed spherical friction that slips has the mode s (k + 1): w_k is a large component of w
// and s its sign. Passing through w = 0 then flips s w_k, so that direction and margin below
// continue smoothly through the stop, as those of a single speed do.
inline int slip_mode(const Vec3<double>& w) {
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(w[i]) > std::fabs(w[k])) k = i;
  return w[k] < 0 ? -(k + 1) : k + 1;
}
// s w_k
template <class S>
S leading_rate(int mode, const Vec3<S>& w) {
  const S rate = w[std::abs(mode) - 1];
  return mode < 0 ? -rate : rate;
}

// The unit vector against which friction acts: w / |w|, smoothed, or continued through w = 0.
template <class S>
Vec3<S> rotation_direction(const Friction<S>& e, const MotionWorkspace<S>& ws, const Vec3<S>& w) {
  const S rate = norm(w);
  if (e.smooth) {
    const auto slow = less(rate, S(1e-8) * e.smoothing);  // tanh x = x to rounding
    const S safe = select(slow, S(1), rate);
    return select(slow, S(1) / e.smoothing, tanh(safe / e.smoothing) / safe) * w;
  }
  const S inverse = S(1) / select(less(S(1e-150), rate), rate, S(1));
  return select(less(leading_rate(ws.mode[e.mode0], w), S(0)), -inverse, inverse) * w;
}

// Sign of component c's motion as the law uses it; 0 for a stuck one.
template <class S>
S component_direction(const Friction<S>& e, const MotionWorkspace<S>& ws, int c, const S& v) {
  return e.smooth ? tanh(v / e.smoothing) : S(ws.mode[e.mode0 + c]);
}

template <class S>
bool is_stuck(const Friction<S>& e, const MotionWorkspace<S>& ws, int c) {
  return !e.smooth && ws.mode[e.mode0 + c] == 0;
}

template <class S>
S friction_magnitude(const Friction<S>& e, int c, const S& load, const S& speed) {
  return e.coulomb[c] + load + e.viscous[c] * speed + e.quadratic[c] * speed * speed;
}

// tau += friction of element e for the given load; returns its power.
template <class S>
S add_joint_friction(const Friction<S>& e, const JointCoordinates<S>& at,
                     const MotionWorkspace<S>& ws, const S& load) {
  S power(0);
  if (e.rotation) {
    if (is_stuck(e, ws, 0)) return power;
    const Vec3<S> w{at.v[0], at.v[1], at.v[2]};
    const Vec3<S> torque = -friction_magnitude(e, 0, load, norm(w)) * rotation_direction(e, ws, w);
    for (int i = 0; i < 3; ++i) at.tau[i] += torque[i];
    return dot(torque, w);
  }
  for (int c = 0; c < e.components(); ++c) {
    if (is_stuck(e, ws, c)) continue;
    const S v = at.v[c];
    const S force = -friction_magnitude(e, c, load, abs(v)) * component_direction(e, ws, c, v);
    at.tau[c] += force;
    power += force * v;
  }
  return power;
}

// tau -= the direction in which one more newton of load acts.
template <class S>
void add_unit_load(const Friction<S>& e, const JointCoordinates<S>& at,
                   const MotionWorkspace<S>& ws) {
  if (e.rotation) {
    if (is_stuck(e, ws, 0)) return;
    const Vec3<S> d = rotation_direction(e, ws, Vec3<S>{at.v[0], at.v[1], at.v[2]});
    for (int i = 0; i < 3; ++i) at.tau[i] -= d[i];
    return;
  }
  for (int c = 0; c < e.components(); ++c)
    if (!is_stuck(e, ws, c)) at.tau[c] -= component_direction(e, ws, c, at.v[c]);
}

}  // namespace cartan::mechanics
