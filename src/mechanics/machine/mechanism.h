// A mechanism as flat arrays of numbers: what every formulation works on.
//
// Built from (Model, parameter values) for a scalar S. Links are the bodies in tree order. The
// frame of a link has its origin and axes at the outboard frame of its tree joint (C, or P when the
// joint is crossed from child to parent), so that the joint's motion columns are constant or simple
// there.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lie/quaternion.h"
#include "lie/se3.h"
#include "model/model.h"

namespace cartan {

// The structure of a joint's motion columns, which is all the algorithms look at.
enum class Motion : unsigned char {
  weld,       // none
  rotation1,  // one angle about a fixed axis through the link origin
  rotation3,  // any rotation about the link origin, speeds in link axes
  general,    // up to three columns, filled by kinematics
  free6,      // all motions, speeds = twist in link axes
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
  int q0 = 0, v0 = 0, nq = 0, nv = 0;
  Mat3<S> R_tree;  // inboard joint frame in the parent's link frame
  Vec3<S> p_tree;
  Vec3<S> axis, axis2;  // joint axes; planar: e1, e2
  Vec3<S> normal;       // planar
  S pitch{};
  S mass{};
  Vec3<S> mc;  // mass times centre of mass, link axes
  Sym3<S> J;   // inertia about the link origin, link axes
};

// What only outputs and force elements need of a body.
template <class S>
struct LinkBody {
  int body = 0, joint = 0;   // in the model
  Pose<S> X_LB;              // body frame in the link frame
  Vec3<S> com_L;             // centre of mass, link axes
  Sym3<S> J_com_L, J_com_B;  // inertia about the centre of mass, link and body axes
};

// A point fixed to a link (or to the world).
template <class S>
struct Point {
  int link = world;
  Vec3<S> p;  // in link axes from the link origin; world: in the world
};

template <class S>
struct Spring {
  Point<S> from, to;
  S stiffness{}, damping{}, length{};
  bool zero_length = false;
};
template <class S>
struct Torsion {
  int joint = 0;
  TorsionMeasure measure = TorsionMeasure::rotation_vector;
  bool rotation = false;  // spherical joint
  std::vector<S> stiffness, damping, rest;
  Quat<S> rest_rotation;
  int turn0 = -1;  // spherical joint: first of its entries in Mechanism::turns
};
template <class S>
struct WrenchElement {
  int link = 0;
  Point<S> at;
  int frame = world;
  const Formula* force = nullptr;
  const Formula* torque = nullptr;
};
template <class S>
struct JointElement {
  int joint = 0;
  const Formula* value = nullptr;
};
template <class S>
struct PotentialElement {
  const Formula* value = nullptr;
};
template <class S>
struct DragElement {
  Point<S> at;
  int on = world;
  S coefficient{};
  const Formula* medium = nullptr;
};
template <class S>
struct BearingRow {
  Vec3<S> force[3], torque[3];
  int rows = 0;
  S factor{};
};
template <class S>
struct Friction {
  int joint = 0;                               // in the model
  int link = 0;                                // -1 for a loop joint
  bool rotation = false;                       // spherical: acts along -w/|w|
  std::vector<S> coulomb, viscous, quadratic;  // per component (spherical: one)
  const Formula* load = nullptr;               // its value, if positive, is added to coulomb
  bool smooth = false;
  S smoothing{};
  int mode0 = -1;  // first entry of the discrete state when exact
  int load0 = -1;  // index among the friction elements with bearings
  // Load of bearing group k: components row . (constraint force, torque at C) in joint axes; its
  // norm times factor is added to every coulomb entry.
  std::vector<BearingRow<S>> bearings;
  int components() const { return static_cast<int>(coulomb.size()); }
};

template <class S>
using ForceElement = std::variant<Spring<S>, Torsion<S>, WrenchElement<S>, JointElement<S>,
                                  PotentialElement<S>, Friction<S>, DragElement<S>>;

// ------------------------------------------------------------------------- loops and constraints

// A joint that closes a loop. `shape` has its type, axes and sizes; its q0, v0 count among the loop
// joints alone.
template <class S>
struct LoopJoint {
  int joint = 0;  // in the model
  Link<S> shape;
  int parent = world, child = world;  // links
  Pose<S> P, C;                       // frames in these links (world: in the world)
  Vec3<S> side1, side2;               // (side1, side2, axis or normal) is a right-handed triad
  int turn0 = 0;                      // first of its entries in Mechanism::turns
};

// | x_to - x_from | = length
template <class S>
struct DistanceElement {
  Point<S> from, to;
  S length{};
};
// A wheel with a sharp rim on a plane; vectors in the axes of their links.
template <class S>
struct RollingDiscElement {
  Point<S> center;
  Vec3<S> axis;
  S radius{};
  Point<S> plane;
  Vec3<S> normal, along1, along2;
};
// normal . (velocity of the point relative to the body it slides on) = 0
template <class S>
struct KnifeEdgeElement {
  Point<S> at;
  Vec3<S> normal;
  int on = world;
};
// q = position(t)
template <class S>
struct DriveElement {
  int joint = 0;
  const Formula* position = nullptr;
  Program rate, acceleration;
};
// sum factor q = offset
template <class S>
struct CouplerTermElement {
  int joint = 0, component = 0;
  S factor{};
};
template <class S>
struct CouplerElement {
  std::vector<CouplerTermElement<S>> terms;
  S offset{};
};

template <class S>
using ConstraintElement = std::variant<DistanceElement<S>, DriveElement<S>, CouplerElement<S>,
                                       RollingDiscElement<S>, KnifeEdgeElement<S>>;

// One scalar equation  y = J v = b(t)  with  y = g' where it is holonomic. Rows of loop joints come
// first, then those of the constraints, both in file order.
struct ConstraintRow {
  int loop = -1, element = -1;  // which of the two it belongs to
  bool holonomic = true;
  bool drive = false;     // of a drive
  int driven_speed = -1;  // drive of a tree joint: the speed it prescribes; no equation is solved
};

// A row's wrench on a link: y = sum over its sources of n . w + f . u.
struct RowSource {
  int row = 0;
  int link = world;
  int loop = -1;          // the loop joint it acts through, if any
  bool on_child = false;  // of that joint
};
// A row's factor on a speed of a tree joint.
template <class S>
struct RowTerm {
  int row = 0;
  int link = 0, component = 0;
  S factor{};
};

// What positions leave open and the motion decides; one entry each at the end of the mode
// (turns.h).
enum class TurnKind : unsigned char {
  angle,      // of a loop joint: its whole turns
  sign,       // of the quaternion of a loop joint
  euler,      // an angle of a torsion spring: on which side of the half turn
  half_turn,  // the rotation vector of a torsion spring: likewise
};
struct TurnEntry {
  TurnKind kind = TurnKind::angle;
  int joint = 0;      // in the model
  int component = 0;  // its (first) coordinate; euler: which angle
  int force = -1;     // the torsion spring
  bool read = false;  // forces, constraints or events depend on it
};

// The inertia of a rotor that turns with a coordinate of a loop joint (constraints/loop_rotors.h).
template <class S>
struct LoopRotor {
  int loop = 0, component = 0;
  S inertia{};
};

template <class S>
struct Mechanism {
  const Model* model = nullptr;
  std::vector<S> parameters;
  std::vector<Link<S>> links;
  std::vector<LinkBody<S>> bodies;                // beside links
  std::vector<int> link_of_body;                  // model body -> link
  std::vector<int> link_of_joint;                 // model joint -> link, or -1 for a loop joint
  std::vector<Point<S>> points;                   // beside model->points
  std::vector<ForceElement<S>> forces;            // beside model->forces
  std::vector<LoopJoint<S>> loops;                // beside model->loop_joints
  std::vector<int> loop_of_joint;                 // model joint -> loop, or -1 for a tree joint
  std::vector<ConstraintElement<S>> constraints;  // beside model->constraints
  std::vector<int> loop_row0, constraint_row0;    // first rows
  std::vector<ConstraintRow> rows;
  std::vector<RowSource> sources;  // in the order in which they are filled
  std::vector<RowTerm<S>> terms;
  std::vector<TurnEntry> turns;
  std::vector<S> rotor;  // per speed: inertia of a rotor, added to the diagonal of M
  std::vector<LoopRotor<S>> loop_rotors;
  int loop_nq = 0, loop_nv = 0;
  bool loops_act = false;  // forces, expressions or constraints need the loop joints' coordinates
  bool has_drives = false;
  S baumgarte{};  // rate of the feedback y' = -2 rate y - rate^2 g; zero: none
  int nq = 0, nv = 0;
  int nz = 0;               // [variables] beside the bodies: they follow q and v in a state
  int friction_modes = 0;   // discrete friction states: the first of the mode
  int mode_count = 0;       // these and the branches of switches (expr/switches.h)
  int bearing_count = 0;    // friction elements with bearings
  bool has_forces = false;  // any element besides gravity
  bool has_friction = false;
  bool loop_friction = false;  // some of it in loop joints
  bool absolute = false;       // every link is free on the world: absolute_solver.h
  bool has_power = false;      // any nonconservative element, or a potential that depends on time
  bool needs_energy = false;   // a force expression mentions kinetic or potential
  bool variables_need_energy = false;  // the rate of a variable does
  bool outputs_need_motion = false;    // an output asks for accelerations or reactions
  bool gravity_varies = false;
  Vec3<S> gravity;       // when it does not vary
  Program gravity_rate;  // its time derivative otherwise

  int row_count() const { return static_cast<int>(rows.size()); }
  // The mode: discrete friction states, rows that are active, turns.
  int turn_count() const { return static_cast<int>(turns.size()); }
  int turn0() const { return mode_count + row_count(); }
  int mode_size() const { return turn0() + turn_count(); }
  // Numbers of a state without quadratures, where q and v are its first.
  int state_size() const { return nq + nv + nz; }
};

// The joint or constraint a row belongs to, for messages: "joint 'A'".
std::string row_owner(const Model& model, const ConstraintRow& row);

// Parameters in file order. The model must outlive the mechanism.
template <class S>
Mechanism<S> make_mechanism(const Model& model, std::span<const S> parameters);
// The same with numbers that nothing is differentiated by.
template <class S>
Mechanism<S> make_with_constants(const Model& model, std::span<const double> parameters) {
  const std::vector<S> constants(parameters.begin(), parameters.end());
  return make_mechanism<S>(model, constants);
}

}  // namespace cartan
