// What is measured: the standard mechanisms and the state they are measured in.
#pragma once

#include <cmath>

#include <string>
#include <vector>

#include "arm.h"
#include "humanoid.h"
#include "tree.h"

namespace cartan::bench {

inline constexpr Vec3 gravity{0, 0, -9.81};

struct Work {
  std::string name;
  std::vector<Link> links;

  int speed_count() const {
    int count = 0;
    for (const Link& link : links) count += calc_speed_count(link.joint);
    return count;
  }
};

// A prism 2 m x 0.2 m x 0.2 m of 50 kg along x, hung at one end, carrying the next link at the
// other.
inline Link make_prism(int index, JointKind joint, const Vec3& axis) {
  constexpr double mass = 50, length = 2, side = 0.2;
  constexpr double along = mass / 12 * (2 * side * side);
  constexpr double across = mass / 12 * (length * length + side * side);
  const Vec3 offset{index == 0 ? 0.0 : length, 0, 0};
  const Vec3 com{length / 2, 0, 0};
  return {"link", index - 1, joint, axis, offset, mass, com, {along, across, across, 0, 0, 0}};
}

inline Work make_spherical_chain(int n) {
  Work work{"sph" + std::to_string(n), {}};
  for (int i = 0; i < n; ++i) work.links.push_back(make_prism(i, JointKind::spherical, axis_z));
  return work;
}

inline Work make_revolute_chain(int n) {
  Work work{"rev" + std::to_string(n), {}};
  for (int i = 0; i < n; ++i)
    work.links.push_back(make_prism(i, JointKind::revolute, i % 2 == 0 ? axis_z : axis_y));
  return work;
}

inline Work make_arm() {
  return {"arm7", {arm_links.begin(), arm_links.end()}};
}

inline Work make_humanoid() {
  return {"hum32", {humanoid_links.begin(), humanoid_links.end()}};
}

inline std::vector<Work> make_standard_work() {
  std::vector<Work> work;
  for (int n : {1, 4, 16, 64, 256, 1024}) work.push_back(make_spherical_chain(n));
  for (int n : {6, 7, 30, 100}) work.push_back(make_revolute_chain(n));
  work.push_back(make_arm());
  work.push_back(make_humanoid());
  return work;
}

// The state of joint i and the acceleration asked of it by inverse dynamics. A revolute joint uses
// component 0.
//
// Engines disagree about the axes in which they write angular velocities and about what the linear
// velocity of a free joint is. In this state the disagreement is a rotation and nothing more,
// because the free joint has no linear velocity and no linear acceleration: the Euclidean norms of
// accelerations, of generalised forces and of the mass matrix are then the same in every engine,
// and one printed number shows that all solve the same problem.
struct JointState {
  Vec3 rotation;      // spherical and free: angle times axis
  Vec3 rate;          // in the axes of the link
  Vec3 acceleration;  // likewise
};

inline JointState calc_joint_state(int i) {
  const double x = i;
  return {{0.3 * std::sin(1 + x), 0.2 * std::cos(2 * x), 0.25 * std::sin(2 + 3 * x)},
          {0.5 * std::cos(1 + 2 * x), 0.4 * std::sin(3 + x), 0.3 * std::cos(x)},
          {0.7 * std::sin(2 + x), 0.6 * std::cos(1 + 3 * x), 0.5 * std::sin(1 + 2 * x)}};
}

// w, x, y, z
inline std::array<double, 4> calc_quaternion(const Vec3& rotation) {
  const double angle = std::hypot(rotation[0], rotation[1], rotation[2]);
  const double scale = angle > 0 ? std::sin(angle / 2) / angle : 0.5;
  return {std::cos(angle / 2), scale * rotation[0], scale * rotation[1], scale * rotation[2]};
}

// The rotation that `rotation` stands for, applied to v: for engines that write angular velocities
// in the parent's axes.
inline Vec3 calc_rotated(const Vec3& rotation, const Vec3& v) {
  const auto [w, x, y, z] = calc_quaternion(rotation);
  const Vec3 t{2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])};
  return {v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
          v[2] + w * t[2] + x * t[1] - y * t[0]};
}

}  // namespace cartan::bench
