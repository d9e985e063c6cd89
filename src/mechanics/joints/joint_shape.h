// Axes and frames of a joint as numbers, for tree and loop joints alike.
#pragma once

#include <span>

#include "mechanics/joints/all_joints.h"
#include "model/mass_properties.h"

namespace cartan::mechanics {

template <class S>
Pose<S> calc_frame(const Placement& placement, std::span<const S> parameters) {
  Pose<S> pose;
  pose.R = calc_rotation<S>(placement.rotate, parameters);
  pose.p = calc_vec3<S>(placement.at, parameters);
  return pose;
}

template <class S>
void set_joint_axes(const Joint& joint, std::span<const S> parameters, Link<S>& link) {
  const std::vector<S> axes = evaluate<S>(joint.axes, parameters);
  const std::vector<S> sizes = evaluate<S>(joint.sizes, parameters);
  visit_joint(joint.type, [&](auto law) { law.set_directions(std::span<const S>(axes), link); });
  for (std::size_t k = 0; k < sizes.size(); ++k) link.sizes[static_cast<int>(k)] = sizes[k];
}

}  // namespace cartan::mechanics
