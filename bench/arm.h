// An arm of the size of a light industrial one: seven revolute joints, axes z, y, z, -y, z, y, z in
// the outstretched position. No entry of an inertia is zero and no centre of mass lies on an axis,
// as in an arm that was weighed and not drawn: nothing falls out of its equations by symmetry.
#pragma once

#include <array>

#include "tree.h"

namespace cartan::bench {

// clang-format off
inline constexpr std::array<Link, 7> arm_links = {{
    {"base", -1, JointKind::revolute, {0, 0, 1}, {0, 0, 0.15},
     5.1, {0.002, -0.031, 0.118}, {0.031, 0.029, 0.014, 0.0004, -0.0003, 0.0041}},
    {"shoulder", 0, JointKind::revolute, {0, 1, 0}, {0, 0, 0.21},
     4.7, {-0.004, 0.057, 0.046}, {0.027, 0.015, 0.023, -0.0006, 0.0005, 0.0037}},
    {"upper_arm", 1, JointKind::revolute, {0, 0, 1}, {0, 0.004, 0.19},
     3.9, {0.003, 0.026, 0.122}, {0.024, 0.023, 0.009, 0.0005, 0.0002, -0.0032}},
    {"elbow", 2, JointKind::revolute, {0, -1, 0}, {0, 0, 0.22},
     3.4, {-0.002, 0.054, 0.041}, {0.018, 0.010, 0.016, 0.0003, -0.0007, 0.0028}},
    {"forearm", 3, JointKind::revolute, {0, 0, 1}, {0, -0.003, 0.18},
     2.2, {0.005, 0.019, 0.083}, {0.0110, 0.0105, 0.0048, -0.0002, 0.0004, 0.0019}},
    {"wrist", 4, JointKind::revolute, {0, 1, 0}, {0, 0, 0.21},
     2.4, {0.001, 0.011, -0.007}, {0.0061, 0.0054, 0.0059, 0.0003, -0.0002, 0.0005}},
    {"hand", 5, JointKind::revolute, {0, 0, 1}, {0.002, 0, 0.08},
     1.1, {0.006, -0.004, 0.071}, {0.0027, 0.0028, 0.0011, 0.0001, -0.0003, 0.0002}},
}};
// clang-format on

}  // namespace cartan::bench
