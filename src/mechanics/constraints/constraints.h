// Constraint equations: their wrenches, rates and residuals at a state.
//
// Every row between two links A and B is a wrench (alpha, beta) at a point c that B exerts on A:
//   y  = alpha . (w_A - w_B) + beta . (u_A(c) - u_B(c)),      u_X(c): velocity of X's material at c
//   y' = alpha . (dw_A - dw_B) + beta . (a_A(c) - a_B(c))
//        + alpha' . w_rel + beta' . u_rel + beta . (w_A x (c' - u_A(c)) - w_B x (c' - u_B(c)))
// so a constraint is told completely by alpha, beta, c and their rates. The rows:
//   loop joint    c = origin of C; beta = directions of P in which C's origin may not move;
//                 alpha = a_C x e_P for an axis a that must stay orthogonal to e, directions of P
//                 for a rotation that must not change; screw: pitch a . w - a . u
//   constraints   each in the file of its type: distance.h, drive.h, ...
// Positions g: the same directions on the relative pose; alignments and rotations as angles, so
// that nothing vanishes half a turn away.
#pragma once

#include <concepts>

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Builds mechanism.loops, constraints, rows, sources and terms from the model.
template <class S>
void add_constraints(const Model& model, Mechanism<S>& mechanism);

// Sizes of the arrays; the largest program among the constraints for the scratch of expressions.
template <class S>
void size_constraints(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// Wrenches, rest terms and y - b of all rows, v' of driven joints; coordinates of loop joints where
// something uses them. Brings the plan up to date with the mode. Needs positions and velocities.
template <class S>
void fill_constraints(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// ws.row_position: g of the holonomic rows, zero for the others. Needs fill_constraints.
template <class S>
void fill_constraint_positions(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// ws.loop_q, ws.loop_v and the motion rows of all loop joints.
template <class S>
void fill_loop_coordinates(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// d/dt of the loop joints' speeds, from the accelerations of the links; needs
// fill_loop_coordinates.
template <class S>
void calc_loop_accelerations(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, S* vdot);

// The whole wrench of the parent on the child through loop joint l, about C's origin in world axes:
// of its equations, of forces in it, of drives and couplers that act on it. Needs fill_reactions
// where loop joints have rotors.
template <class S>
void calc_loop_wrench(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int l,
                      Vec3<S>& torque, Vec3<S>& force);

// The generalised forces ws.loop_tau as wrenches on the links; needs fill_loop_coordinates.
template <class S>
void apply_loop_forces(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// Multipliers of drives of tree joints: what the joint transmits beside ws.tau and couplers. Needs
// the accelerations; fills the reactions.
template <class S>
void fill_drive_multipliers(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// Power of row r, lambda times the speed it prescribes: zero but for drives.
template <class S>
S calc_row_power(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int r);

// Power of the drives, b . lambda.
template <class S>
S calc_drive_power(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// What the element of a constraint (mechanics/constraints/TYPE.h) tells of itself; one that does
// not tell everything does not compile.
template <class E>
concept ConstraintElementLaw = requires(const E& e, const Mechanism<double>& mechanism,
                                        MotionWorkspace<double>& ws, RowWriter<double>& rows,
                                        PositionWriter<double>& positions, OpenTurns& open) {
  // wrenches, rest terms and speeds of its rows; g of the same rows
  e.fill_rows(mechanism, rows);
  e.fill_positions(mechanism, positions);
  // why its rows have no meaning at this state; "": they have
  { e.find_degenerate(ws) } -> std::same_as<std::string>;
  // visit(joint, component) for the coordinates it reads; component -1: all
  e.for_each_coordinate([](int, int) {});
  // whole turns of loop joints that it decides
  e.close_turns(mechanism, ws, open);
  // what its rows depend on
  { e.row_reach(mechanism) } -> std::same_as<RowReach>;
};

// Where a force or an expression finds a joint's coordinates, in the tree or in a loop.
template <class S>
struct JointCoordinates {
  const Link<S>& joint;  // type, nq, nv
  const S* q;
  const S* v;
  S* tau;
};
template <class S>
JointCoordinates<S> coordinates_of(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                                   int joint) {
  const int i = mechanism.link_of_joint[joint];
  if (i >= 0) {
    const Link<S>& link = mechanism.links[i];
    return {link, ws.q + link.q0, ws.v + link.v0, ws.tau.data() + link.v0};
  }
  const Link<S>& link = mechanism.loops[mechanism.loop_of_joint[joint]].shape;
  return {link, ws.loop_q.data() + link.q0, ws.loop_v.data() + link.v0,
          ws.loop_tau.data() + link.v0};
}

}  // namespace cartan::mechanics
