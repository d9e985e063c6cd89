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

#include "mechanics/constraint_list.h"
#include "mechanics/contacts/contact_element.h"
#include "mechanics/force_list.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

// One element per force of the model, of the types in mechanics/forces.
template <class S, class Laws>
struct ElementsOf;
template <class S, class... Law>
struct ElementsOf<S, std::variant<Law...>> {
  using type = std::variant<typename ElementOf<Law, S>::type...>;
};
template <class S>
using ForceElement = typename ElementsOf<S, ForceLaw>::type;

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

// One element per constraint of the model, of the types in mechanics/constraints.
template <class S>
using ConstraintElement = typename ElementsOf<S, ConstraintLaw>::type;

// One scalar equation  y = J v = b(t)  with  y = g' where it is holonomic. Rows of loop joints come
// first, then those of the constraints, both in file order.
struct ConstraintRow {
  int loop = -1, element = -1;  // which of the two it belongs to
  bool holonomic = true;
  bool drive = false;     // of a drive
  int driven_speed = -1;  // drive of a tree joint: the speed it prescribes; no equation is solved
  int contact = -1;       // in Mechanism::contacts; these rows come last
};

// A row's wrench on a link: y = sum over its sources of n . w + f . u.
struct RowSource {
  int row = 0;
  int link = world;
  int loop = -1;          // the loop joint it acts through, if any
  bool on_child = false;  // of that joint
};
// A row's factor on a speed of a tree joint; where it depends on the position, its constant part
// (MotionWorkspace::term_factor has the whole).
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

// Speeds in an order in which those of every subtree are neighbours.
struct Subtrees {
  std::vector<int> begin,
      end;                    // per link: the places of its own speeds begin there; of its subtree
  std::vector<int> speed;     // by place
  bool in_file_order = true;  // speed[i] = i
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
  std::vector<ContactElement<S>> contacts;
  int contact_row0 = 0;             // first row of a contact
  std::size_t contact_source0 = 0;  // and its first source
  int contact_mode0 = 0;            // first entry of a contact in the mode
  bool contacts_rub = false;
  std::vector<TurnEntry> turns;
  std::vector<S> rotor;  // per speed: inertia of a rotor, added to the diagonal of M
  std::vector<LoopRotor<S>> loop_rotors;
  int loop_nq = 0, loop_nv = 0;
  bool loops_act = false;  // forces, expressions or constraints need the loop joints' coordinates
  bool has_drives = false;
  S baumgarte{};            // rate of the feedback y' = -2 rate y - rate^2 g; zero: none
  bool world_rows = false;  // gaps of joints in world axes (loop_rows.h); for `absolute` alone
  int nq = 0, nv = 0;
  Subtrees subtrees;
  std::vector<int> turning;  // coordinates that are angles of rotation1, by Link::turn
  int nz = 0;                // [variables] beside the bodies: they follow q and v in a state
  int friction_modes = 0;    // discrete friction states: the first of the mode
  // these, the branches of switches (expr/switches.h) and the modes of contacts
  int mode_count = 0;
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

}  // namespace cartan::mechanics
