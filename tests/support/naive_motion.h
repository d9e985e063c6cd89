// Where all bodies are and how they move, obtained from the definition of each joint's pose alone.
//
// The contract defines X_PC(q) for every joint type. Here that formula is evaluated over Jets, with
// q a path of given speeds, and the products of poses from the world to each body are
// differentiated by the product rule. No motion subspace, no bias formula, nothing of
// src/mechanics.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "lie/se3.h"
#include "model/mass_properties.h"
#include "model/model.h"
#include "support/jet.h"

namespace cartan::test {

// Constant numbers of a mechanism. Joints that close loops have coordinates and speeds like the
// others (file order), but carry no body: bodies follow from the tree's joints alone.
struct NaiveJoint {
  JointType type = JointType::fixed;
  int parent = world, child = world;  // bodies
  bool loop = false;                  // closes a loop; then the next three say nothing
  bool reversed = false;              // the child is nearer to the world
  int inboard = world, outboard = 0;  // bodies
  Pose<double> X_parent, X_child;     // P and C in their bodies
  Vec3<double> axis, axis2;
  std::vector<double> sizes;  // screw: pitch; ellipsoidal: radii
  int q0 = 0, v0 = 0, nq = 0, nv = 0;
};

struct NaiveTree {
  const Model* model = nullptr;
  std::vector<double> parameters;
  std::vector<NaiveJoint> joints;  // file order
  std::vector<int> order;          // joints of the tree, inboard ones first
  std::vector<int> loops;          // the others, file order
  std::vector<MassProperties<double>> bodies;
  int nq = 0, nv = 0;
  std::vector<double> rotor;      // per speed: inertia of a rotor
  std::vector<double> variables;  // [variables] beside the bodies: their initial values
};

NaiveTree make_naive_tree(const Model& model, std::span<const double> parameters);

// A body in motion, world axes.
struct NaiveBody {
  Pose<double> X;         // body frame
  Vec3<double> w, alpha;  // angular velocity and acceleration
  Vec3<double> origin_velocity;
  Vec3<double> com, com_velocity, com_acceleration;

  Vec3<double> velocity_at(const Vec3<double>& point) const {
    return origin_velocity + cross(w, point - X.p);
  }
};

// Coordinates and body frames (in the world) on their way at (q, v) with v' = 0.
struct NaivePaths {
  std::vector<Jet> q;  // file order
  std::vector<Pose<Jet>> bodies;
};
NaivePaths calc_naive_paths(const NaiveTree& tree, std::span<const double> q,
                            std::span<const double> v);

// X_PC at the joint's own coordinates.
Pose<Jet> calc_naive_joint_pose(const NaiveJoint& joint, const Jet* q);

// a with hat(a) the skew part of m
template <class S>
Vec3<S> skew_part(const Mat3<S>& m) {
  const S half(0.5);
  return {half * (m(2, 1) - m(1, 2)), half * (m(0, 2) - m(2, 0)), half * (m(1, 0) - m(0, 1))};
}

// Bodies at (q, v) with accelerations that belong to v' = 0.
std::vector<NaiveBody> calc_naive_motion(const NaiveTree& tree, std::span<const double> q,
                                         std::span<const double> v);

// d q / dt of all coordinates.
std::vector<double> calc_naive_rates(const NaiveTree& tree, std::span<const double> q,
                                     std::span<const double> v);

// The joint's C frame in the world.
Pose<double> naive_child_frame(const NaiveJoint& joint, const std::vector<NaiveBody>& bodies);

}  // namespace cartan::test
