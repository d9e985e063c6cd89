// Scratch of one evaluation of a mechanism. Every entry: who fills it, axes, reference point.
#pragma once

#include <optional>
#include <vector>

#include "mechanics/constraints/constraint_plan.h"
#include "mechanics/constraints/sparse_rows.h"
#include "mechanics/machine/mechanism.h"
#include "mechanics/variables/variable_rates.h"

namespace cartan::mechanics {

class DualSolver;

template <class S>
struct LinkState {
  // fill_kinematics; world axes
  Mat3<S> R;       // link axes in the world
  Vec3<S> o;       // link origin in the world
  Vec3<S> r;       // from the parent's origin to o
  Vec3<S> w, u;    // angular velocity, velocity of the origin
  Vec3<S> cw, cu;  // accelerations at v' = 0, parent at rest in acceleration
  Vec3<S> s;       // rotation1: the axis
  // solve_accelerations (recursive): articulated inertia [A B; B^T D] and bias wrench about o.
  // rotation3 leaves A^-1 B, A^-1 (tau - n) in B, n after elimination, and in D, where it has a
  // parent, what that feels: D - B^T A^-1 B.
  Sym3<S> A, D;
  Mat3<S> B;
  Vec3<S> n, f;
  // rotation1: U = I s, and (1/d, u), and v' if the parent stood still; after elimination n is that
  // of U about the parent's origin. Others keep theirs in MotionWorkspace::factors
  Vec3<S> Un, Uf;
  S inverse_d{}, reduced{}, own{};
  // fill_accelerations or solve_accelerations: includes -gravity
  Vec3<S> dw, du;
};

// Elimination data of links of Motion::general and free6.
template <class S>
struct GeneralFactor {
  Vec3<S> Un[3], Uf[3];
  Sym3<S> D_inverse;  // K <= 3
  S u[3];
};

// Matrices of the moving-frame formulation (moving_frame.h), stored by columns.
// Rows of B: 6 per link in tree order; columns: speeds. Entries off a link's path are never
// written.
template <class S>
struct MovingFrame {
  int rows = 0, nv = 0;
  std::vector<S> B, Bdot;
  std::vector<S> M_star, rhs;
  std::vector<std::vector<int>> path;         // per link: the speeds on its path
  std::vector<S> compact, weighted, product;  // of one link: 6 x path, and one row
  std::vector<Vec3<S>> force, moment;         // per link: F - M B' v - D M B v
  // constraints: active rows, their places, J by rows (then L^-1 J^T), gamma, J M^-1 J^T
  std::vector<int> active, place;
  std::vector<S> J, gamma, G;
};

// World quantities of a loop joint.
template <class S>
struct LoopState {
  Mat3<S> R_P, R_C;  // axes of the joint's frames
  Vec3<S> o_P, o_C;
};

// v_k = alpha . (w_C - w_P) + beta . (velocity of C's origin relative to P), and what v_k' has
// beside the same combination of accelerations.
template <class S>
struct LoopSpeed {
  Vec3<S> alpha, beta, alpha_rate, beta_rate;
};

template <class S>
struct MotionWorkspace {
  S t{};
  const S* q = nullptr;
  const S* v = nullptr;
  std::vector<S> variables;     // [variables] beside the bodies: whoever has the state sets them
  ImplicitScratch<S> implicit;  // of their `equations`
  std::vector<LinkState<S>> links;
  std::vector<S> sine, cosine;  // fill_kinematics: of the angles Mechanism::turning, in fours
  Vec3<S> gravity;              // world
  Vec3<S> gravity_rate;         // world
  // columns of each speed in world axes (reference: origin of its link), and their time
  // derivatives; filled by kinematics for Motion::general, for all others by fill_columns
  std::vector<Vec3<S>> phi, psi, phi_rate, psi_rate;
  std::vector<GeneralFactor<S>> factors;      // per link
  std::vector<S> column_wrenches, mass_rows;  // calc_mass_matrix
  std::vector<unsigned char> locked;          // per speed: held at v' = 0 (a stuck joint)
  bool any_locked = false;

  // fill_forces
  std::vector<Vec3<S>> wrench_n, wrench_f;     // per link, world axes about o
  std::vector<S> tau;                          // per speed
  S kinetic{}, potential{};                    // when an expression asks for them
  std::vector<ElementEnergy<S>> force_energy;  // per force element

  // results
  std::vector<S> vdot;
  std::vector<Vec3<S>> joint_n, joint_f;  // fill_reactions: wrench on the link at o, world axes

  // loops and constraints (constraints.h); fill_kinematics calls fill_constraints
  std::vector<LoopState<S>> loops;
  std::vector<LoopSpeed<S>> loop_speed;     // per loop speed
  std::vector<S> loop_q, loop_v, loop_tau;  // coordinates of the loop joints, forces on them
  std::vector<Vec3<S>> source_n, source_f;  // per source: wrench about its link's origin
  std::vector<S> row_rest;                  // per row: y' - b' = sum source . acceleration + rest
  std::vector<S> row_speed;                 // y - b
  std::vector<S> row_position;              // g (fill_constraint_positions)
  std::vector<S> lambda;                    // per row; M v' + c = J^T lambda
  std::vector<S> prescribed;                // per speed: v' of driven joints
  std::vector<S> still, before;             // projection: zero speeds; numbers kept
  ConstraintPlan plan;                      // for the rows that are active
  ConstraintFronts<S> fronts;
  SparseRows<S> sparse;  // instead of both where every link is free (absolute_solver.h)
  // there, per link: the moment that velocities exert, link axes; empty: J w x w
  std::vector<Vec3<S>> gyration;

  // friction that depends on bearing loads, and stuck joints (dry_friction.h)
  // of exact friction components: -1, 0 (stuck), 1; per row: 1 active, 0 redundant; turns (turns.h)
  std::vector<int> mode;
  std::vector<S> applied_tau;  // per speed: all but friction
  // the same for loop joints, where some of them have friction, and all wrenches without it
  std::vector<S> applied_loop_tau;
  std::vector<Vec3<S>> applied_n, applied_f;
  std::vector<S> friction_load;  // per friction element with bearings: sum of factor * |load|
  std::vector<S> given_load;     // per force element: a friction's `load` at this state
  std::vector<S> bearing_base, bearing_unit, bearing_residual, bearing_matrix;

  // rotors in loop joints (constraints/loop_rotors.h): what they do to each link at its
  // accelerations; accelerations of the loop joints, and scratch of the solution
  std::vector<Vec3<S>> rotor_n, rotor_f;
  std::vector<S> loop_vdot, rotor_base, rotor_matrix, rotor_row;

  // slipping contacts (contacts/contact_rows.h): forces without them, and what they do
  std::vector<S> contact_tau, contact_loop_tau;
  std::vector<Vec3<S>> contact_wrench_n, contact_wrench_f;
  std::vector<int> slipping;                   // contacts
  std::vector<S> slip_matrix, slip_force;      // I - what friction adds to the normal forces; these
  std::vector<Vec3<S>> slip_push, slip_point;  // per contact: force for a unit of load, and where
  S contact_power{};

  std::vector<S> inputs, scratch, adjoints, gradient, outputs;  // expressions
  std::optional<MovingFrame<S>> moving_frame;                   // made on first use
  bool failed = false;                                          // a nested solve did not converge
  // dual numbers: who solves for accelerations (tree/slopes/dual_solver.h); null: the recursion
  DualSolver* solver = nullptr;
  std::vector<S> term_factor;  // fill_constraints, per term (RowTerm): its factor at this position
};

template <class S>
MotionWorkspace<S> make_motion_workspace(const Mechanism<S>& mechanism);

}  // namespace cartan::mechanics
