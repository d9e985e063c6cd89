// The deliberately naive reference: Newton and Euler for every body, one dense linear system.
//
// Unknowns: (alpha, x'') of every body, v' of every speed, the wrench (n, f) at every joint.
//   J alpha + w x J w = torques         m x'' = forces        (joint wrenches included; 6 per body)
//   (alpha, x'') - (columns) v' = accelerations at v' = 0     (6 per body)
//   power of the joint wrench on the joint's unit motions + rotor v' = generalised force
//                                                             (one per speed)
// Columns and accelerations come from differentiating poses (naive_motion.h), forces from the
// contract's table (naive_forces.h). Solved by LU with refinement in extended precision; bearing
// loads by fixed-point iteration. Trees only; exact friction only while it slips.
#pragma once

#include <Eigen/Core>

#include "support/naive_forces.h"

namespace cartan::test {

struct NaiveWrench {  // the parent on the child, about C's origin, world axes
  Vec3<double> force, torque;
};

struct NaiveResult {
  std::vector<NaiveBody> bodies;       // accelerations those of the true motion
  Eigen::VectorXd vdot;                // file order
  std::vector<NaiveWrench> reactions;  // per joint
  Eigen::MatrixXd columns;             // rows per body: w (world), x' (centre of mass, world)
  Eigen::MatrixXd mass_matrix;         // sum over bodies of columns^T diag(J, m) columns
  double kinetic = 0, potential = 0;
  double kinetic_rate = 0, potential_rate = 0, nonconservative = 0;
  std::vector<NaiveEnergy> elements;  // per force element
  double power_scale = 0;             // sum of the sizes of all power terms, |force| |speed|
  // Sizes that errors are measured against: sums of absolute values where terms cancel.
  double potential_scale = 0;                // all potentials
  double force_scale = 0, torque_scale = 0;  // largest force and torque that enters any body
  double length_scale = 0;                   // farthest body from the origin, and a metre
  double speed_scale = 0;                    // largest speed of a body
  Eigen::VectorXd applied_scale;             // generalised forces, centrifugal ones included
  bool converged = true;
};

NaiveResult calc_naive_dynamics(const NaiveTree& tree, const NaiveState& state);

}  // namespace cartan::test
