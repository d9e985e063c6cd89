// Loop joints and constraints for the naive reference: each is a function of where bodies and
// joints are, written from the contract's tables and differentiated along a motion (jet.h).
//
// Loop joint: with E = X_PC(q)^-1 X_P^-1 X_C, X_P and X_C from the bodies and q the joint's own
// coordinates, the six numbers (skew part of E.R, E.p) vanish. Its coordinates and speeds are
// unknowns like those of the tree; nothing is projected onto directions the joint resists.
// Velocity constraints are functions of positions and of their rates, themselves Jets.
//
// Rows: loop joints in file order, six each, then constraints in file order (distance 1, drive one
// per coordinate, coupler 1, rolling disc 3: contact, then sliding in two directions of the plane,
// knife edge 1). Linear in all speeds v, file order, those of loop joints too:
//   g' = J v + time_rate        g'' = J v' - gamma
#pragma once

#include "support/naive_forces.h"

namespace cartan::test {

struct NaiveRow {  // one equation g = 0 (or g' = 0) along a motion
  double position = 0, rate = 0, second = 0;
  bool holonomic = true;  // false: there is no g, `position` is zero
};

std::vector<NaiveRow> calc_naive_rows(const NaiveTree& tree, const NaivePaths& paths, const Jet& t);

struct NaiveRows {
  Eigen::MatrixXd J;
  Eigen::MatrixXd on_bodies;  // the same for velocities (w, x' of the centre of mass, world axes)
                              // of all bodies, joint coordinates held
  Eigen::VectorXd position, rate;  // g, g'
  Eigen::VectorXd time_rate;       // g' at v = 0: the given velocity of a drive, with a minus sign
  Eigen::VectorXd gamma;
  std::vector<bool> holonomic;
  int count() const { return static_cast<int>(J.rows()); }
};

NaiveRows calc_naive_row_system(const NaiveTree& tree, const NaiveState& state);

// The initial values that the model states, at t = 0, nothing made consistent.
NaiveState calc_naive_initial_state(const NaiveTree& tree);

// Coordinates (by Gauss-Newton from those in the state) and speeds of loop joints that belong to
// the tree's.
void fill_naive_loop_joints(const NaiveTree& tree, NaiveState& state);

// q moved by `step` of its speeds, unit quaternions kept.
void advance_naive_coordinates(const NaiveJoint& joint, const double* step, double* q);

}  // namespace cartan::test
