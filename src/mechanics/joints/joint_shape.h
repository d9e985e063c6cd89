// Axes and frames of a joint as numbers, for tree and loop joints alike.
#pragma once

#include <span>

#include "mechanics/machine/mechanism.h"
#include "model/mass_properties.h"

namespace cartan {

template <class S>
Vec3<S> unit(const Vec3<S>& a) {
  return (S(1) / norm(a)) * a;
}

template <class S>
Pose<S> calc_frame(const Placement& placement, std::span<const S> parameters) {
  Pose<S> pose;
  pose.R = calc_rotation<S>(placement.rotate, parameters);
  pose.p = calc_vec3<S>(placement.at, parameters);
  return pose;
}

template <class S>
void set_joint_axes(const Joint& joint, std::span<const S> parameters, Link<S>& link) {
  const std::vector<S> a = evaluate<S>(joint.axes, parameters);
  auto vector = [&](int k) { return unit(Vec3<S>{a[k], a[k + 1], a[k + 2]}); };
  if (a.size() >= 3) link.axis = vector(0);
  if (a.size() >= 6) link.axis2 = vector(3);
  if (joint.type == JointType::planar) {
    // e1 = P's x axis made orthogonal to n, or its y axis when n is too close to x; e2 = n x e1
    link.normal = link.axis;
    const bool steep = value_of(abs(link.normal.x)) > 0.9;
    const Vec3<S> start = steep ? Vec3<S>{S(0), S(1), S(0)} : Vec3<S>{S(1), S(0), S(0)};
    link.axis = unit(start - dot(start, link.normal) * link.normal);
    link.axis2 = cross(link.normal, link.axis);
  }
  if (joint.type == JointType::screw) link.pitch = evaluate<S>(joint.pitch, parameters)[0];
}

}  // namespace cartan
