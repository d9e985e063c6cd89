// A tree of the size of a humanoid robot: free base and 26 revolute joints, 32 velocities.
//
//   pelvis (free) -+- left leg: hip yaw, roll, pitch, knee pitch, ankle pitch, roll
//                  +- right leg
//                  +- waist yaw - chest pitch -+- left arm: shoulder pitch, roll, yaw,
//                                              |  elbow pitch, wrist yaw, pitch
//                                              +- right arm
//
// x points forward, y to the left, z up; 72.2 kg in all. The numbers are invented, but of human
// size. Offsets and products of inertia are nonzero on purpose: no engine shall gain from zeros
// that a real robot does not have. Right limbs are mirror images: y of offsets and centres and
// the xy and yz products change sign. Axes do not: equal angles are not a mirrored pose.
#pragma once

#include <array>

#include "tree.h"

namespace cartan::bench {

inline constexpr Vec3 axis_x{1, 0, 0};
inline constexpr Vec3 axis_y{0, 1, 0};
inline constexpr Vec3 axis_z{0, 0, 1};

// clang-format off
inline constexpr std::array<Link, 27> humanoid_links{{
  // name                  parent  joint                axis    offset                  mass   com                     inertia xx yy zz xy xz yz
  {"pelvis",               -1, JointKind::free,     axis_z, { 0.00,  0.00,  1.00}, 11.0, { 0.01,  0.000,  0.04}, {0.0950, 0.0620, 0.1050,  0.0000,  0.0020,  0.0000}},

  {"left_hip_yaw",          0, JointKind::revolute, axis_z, { 0.00,  0.09, -0.06},  1.3, { 0.01,  0.005, -0.03}, {0.0021, 0.0024, 0.0019,  0.0001,  0.0002, -0.0001}},
  {"left_hip_roll",         1, JointKind::revolute, axis_x, { 0.02,  0.01, -0.05},  1.1, {-0.01,  0.010,  0.00}, {0.0016, 0.0018, 0.0015, -0.0001,  0.0001,  0.0001}},
  {"left_hip_pitch",        2, JointKind::revolute, axis_y, {-0.01,  0.02, -0.02},  6.8, { 0.01,  0.010, -0.19}, {0.1180, 0.1160, 0.0170,  0.0005,  0.0040, -0.0020}},
  {"left_knee_pitch",       3, JointKind::revolute, axis_y, { 0.01,  0.01, -0.41},  3.4, { 0.01, -0.005, -0.17}, {0.0490, 0.0480, 0.0055, -0.0002,  0.0010,  0.0005}},
  {"left_ankle_pitch",      4, JointKind::revolute, axis_y, {-0.01, -0.01, -0.40},  0.5, { 0.01,  0.002, -0.01}, {0.0004, 0.0005, 0.0004,  0.0000,  0.0000,  0.0000}},
  {"left_ankle_roll",       5, JointKind::revolute, axis_x, { 0.01,  0.01, -0.03},  1.1, { 0.03,  0.003, -0.04}, {0.0017, 0.0052, 0.0056,  0.0001, -0.0006,  0.0000}},

  {"right_hip_yaw",         0, JointKind::revolute, axis_z, { 0.00, -0.09, -0.06},  1.3, { 0.01, -0.005, -0.03}, {0.0021, 0.0024, 0.0019, -0.0001,  0.0002,  0.0001}},
  {"right_hip_roll",        7, JointKind::revolute, axis_x, { 0.02, -0.01, -0.05},  1.1, {-0.01, -0.010,  0.00}, {0.0016, 0.0018, 0.0015,  0.0001,  0.0001, -0.0001}},
  {"right_hip_pitch",       8, JointKind::revolute, axis_y, {-0.01, -0.02, -0.02},  6.8, { 0.01, -0.010, -0.19}, {0.1180, 0.1160, 0.0170, -0.0005,  0.0040,  0.0020}},
  {"right_knee_pitch",      9, JointKind::revolute, axis_y, { 0.01, -0.01, -0.41},  3.4, { 0.01,  0.005, -0.17}, {0.0490, 0.0480, 0.0055,  0.0002,  0.0010, -0.0005}},
  {"right_ankle_pitch",    10, JointKind::revolute, axis_y, {-0.01,  0.01, -0.40},  0.5, { 0.01, -0.002, -0.01}, {0.0004, 0.0005, 0.0004,  0.0000,  0.0000,  0.0000}},
  {"right_ankle_roll",     11, JointKind::revolute, axis_x, { 0.01, -0.01, -0.03},  1.1, { 0.03, -0.003, -0.04}, {0.0017, 0.0052, 0.0056, -0.0001, -0.0006,  0.0000}},

  {"waist_yaw",             0, JointKind::revolute, axis_z, {-0.01,  0.00,  0.13},  3.2, { 0.01,  0.000,  0.04}, {0.0140, 0.0110, 0.0160,  0.0000,  0.0003,  0.0000}},
  {"chest_pitch",          13, JointKind::revolute, axis_y, { 0.01,  0.00,  0.09}, 19.0, { 0.02,  0.000,  0.18}, {0.3300, 0.2700, 0.2100,  0.0000,  0.0120,  0.0000}},

  {"left_shoulder_pitch",  14, JointKind::revolute, axis_y, { 0.01,  0.17,  0.31},  0.9, { 0.00,  0.030, -0.01}, {0.0012, 0.0009, 0.0012,  0.0000,  0.0000,  0.0001}},
  {"left_shoulder_roll",   15, JointKind::revolute, axis_x, { 0.01,  0.05, -0.01},  0.8, { 0.01,  0.010, -0.02}, {0.0010, 0.0011, 0.0009,  0.0001,  0.0000, -0.0001}},
  {"left_shoulder_yaw",    16, JointKind::revolute, axis_z, {-0.01,  0.01, -0.06},  1.6, { 0.00,  0.010, -0.12}, {0.0110, 0.0108, 0.0018,  0.0000,  0.0003, -0.0004}},
  {"left_elbow_pitch",     17, JointKind::revolute, axis_y, { 0.01,  0.01, -0.23},  1.1, { 0.01, -0.005, -0.08}, {0.0049, 0.0048, 0.0010,  0.0000,  0.0002,  0.0001}},
  {"left_wrist_yaw",       18, JointKind::revolute, axis_z, {-0.01, -0.01, -0.14},  0.4, { 0.00,  0.002, -0.05}, {0.0006, 0.0006, 0.0003,  0.0000,  0.0000,  0.0000}},
  {"left_wrist_pitch",     19, JointKind::revolute, axis_y, { 0.01,  0.01, -0.10},  0.5, { 0.01,  0.005, -0.07}, {0.0009, 0.0010, 0.0004,  0.0000,  0.0001,  0.0000}},

  {"right_shoulder_pitch", 14, JointKind::revolute, axis_y, { 0.01, -0.17,  0.31},  0.9, { 0.00, -0.030, -0.01}, {0.0012, 0.0009, 0.0012,  0.0000,  0.0000, -0.0001}},
  {"right_shoulder_roll",  21, JointKind::revolute, axis_x, { 0.01, -0.05, -0.01},  0.8, { 0.01, -0.010, -0.02}, {0.0010, 0.0011, 0.0009, -0.0001,  0.0000,  0.0001}},
  {"right_shoulder_yaw",   22, JointKind::revolute, axis_z, {-0.01, -0.01, -0.06},  1.6, { 0.00, -0.010, -0.12}, {0.0110, 0.0108, 0.0018,  0.0000,  0.0003,  0.0004}},
  {"right_elbow_pitch",    23, JointKind::revolute, axis_y, { 0.01, -0.01, -0.23},  1.1, { 0.01,  0.005, -0.08}, {0.0049, 0.0048, 0.0010,  0.0000,  0.0002, -0.0001}},
  {"right_wrist_yaw",      24, JointKind::revolute, axis_z, {-0.01,  0.01, -0.14},  0.4, { 0.00, -0.002, -0.05}, {0.0006, 0.0006, 0.0003,  0.0000,  0.0000,  0.0000}},
  {"right_wrist_pitch",    25, JointKind::revolute, axis_y, { 0.01, -0.01, -0.10},  0.5, { 0.01, -0.005, -0.07}, {0.0009, 0.0010, 0.0004,  0.0000,  0.0001,  0.0000}},
}};
// clang-format on

}  // namespace cartan::bench
