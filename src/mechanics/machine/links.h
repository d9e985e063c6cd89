// The links of a mechanism, and what force elements are built from and made of.
#pragma once

#include <type_traits>
#include <vector>

#include "lie/quaternion.h"
#include "lie/se3.h"
#include "model/model.h"

namespace cartan::mechanics {

template <class S>
struct Mechanism;
template <class S>
struct MotionWorkspace;
template <class S>
struct RowWriter;  // constraints/row_writer.h
template <class S>
struct PositionWriter;

// The structure of a joint's motion columns, which is all the algorithms look at.
enum class Motion : unsigned char {
  weld,       // none
  rotation1,  // one angle about a fixed axis through the link origin
  rotation3,  // any rotation about the link origin, speeds in link axes
  general,    // up to three columns, filled by kinematics
  free6,      // all motions, speeds = twist in link axes
};

// What the rows of a constraint depend on, as it tells of itself (tree/slope_plan.h).
enum class RowReach : unsigned char {
  pair,        // the relative motion of two bodies, which have a source each per row
  speeds,      // nothing: constant factors of speeds of the tree
  prescribed,  // the time: a speed of the tree is given
  other,       // more, or speeds of loop joints: left to dual numbers
};

template <class S>
struct Link {
  int parent = world;  // link, or world
  Motion motion = Motion::weld;
  JointType type = JointType::fixed;
  bool reversed = false;        // the tree crosses the joint from child to parent
  bool turned = false;          // R_tree is not the identity
  bool principal = false;       // J is diagonal
  bool leaf = true;             // carries no other link
  bool last_child = false;      // of its parent, in tree order
  bool driven = false;          // a drive prescribes the joint's motion
  bool product = false;         // free6: the linear speeds are p' in world axes, not R^T p'
  bool geared = false;          // a rotor turns with the joint: Mechanism::rotor
  signed char axis_index = -1;  // rotation1: the axis is this coordinate axis (and positive)
  int turn = 0;                 // rotation1: place of its sine and cosine in MotionWorkspace
  int q0 = 0, v0 = 0, nq = 0, nv = 0;
  Mat3<S> R_tree;  // inboard joint frame in the parent's link frame
  Vec3<S> p_tree;
  // what the joint's type makes of its directions and sizes (mechanics/joints/TYPE.h)
  Vec3<S> axis, axis2;
  Vec3<S> normal;  // of the plane (axis, axis2), where there is one
  Vec3<S> sizes;
  S mass{};
  Vec3<S> mc;  // mass times centre of mass, link axes
  Sym3<S> J;   // inertia about the link origin, link axes
};

// What only outputs and force elements need of a body.
template <class S>
struct LinkBody {
  int body = 0, joint = 0;  // in the model
  Pose<S> X_LB;             // body frame in the link frame
  Vec3<S> com_L;            // centre of mass, link axes
  Sym3<S> J_com_L,
      J_com_B;  // inertia about the centre of mass, link and body axes
};

// A point fixed to a link (or to the world).
template <class S>
struct Point {
  int link = world;
  Vec3<S> p;  // in link axes from the link origin; world: in the world
};

// Energy terms of a force element: a conservative part with potential V, and the power P of the
// rest (with dV/dt at rest counted in P, so that  T' + sum V' = sum P).
template <class S>
struct ElementEnergy {
  S potential{}, potential_rate{}, power{};
};

template <class S>
Quat<S> quaternion_at(const S* q) {
  return Quat<S>{q[0], q[1], q[2], q[3]};
}

// The element of a mechanism that a force or constraint of a model becomes: a specialisation per
// type.
template <class Law, class S>
struct ElementOf;

// |a| that may be divided by.
template <class S>
S safe_norm(const Vec3<S>& a) {
  const S length = norm(a);
  return select(less(S(1e-150), length), length, S(1));
}

// Does an expression depend on speeds?
inline bool depends_on_speeds(const Formula* formula) {
  if (!formula) return false;
  const Program& program = formula->program;
  for (Quantity quantity : {Quantity::joint_v, Quantity::body_velocity, Quantity::body_angular,
                            Quantity::point_velocity, Quantity::kinetic})
    if (program.depends_on(quantity)) return true;
  return false;
}

}  // namespace cartan::mechanics
