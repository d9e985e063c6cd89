// Force elements written a second time, from the contract's table, for the naive reference.
//
// Potentials are written as formulas of positions and differentiated forward (Dual) along the
// motion and along each speed; the engine differentiates by hand and by reverse sweeps.
#pragma once

#include <vector>

#include "support/naive_motion.h"

namespace cartan::test {

struct NaiveState {
  double t = 0;
  std::vector<double> q, v;  // file order
};

struct NaiveEnergy {  // of one force element
  double potential = 0, potential_rate = 0, power = 0;
  double load = 0;  // friction: what its expression adds to coulomb
};

struct NaiveForces {
  Vec3<double> gravity;                     // world
  std::vector<Vec3<double>> force, torque;  // per body, about its centre of mass, gravity included
  std::vector<double> tau;                  // per speed: what joints transmit, friction left out
  std::vector<NaiveEnergy> elements;        // beside model->forces, friction left out
  double kinetic = 0, potential = 0;        // all of it
  double gravity_rate = 0, gravity_power = 0;  // of the gravity potential: V', and its share of P
};

NaiveForces calc_naive_forces(const NaiveTree& tree, const NaiveState& state,
                              const std::vector<NaiveBody>& bodies);

// Friction of one element: forces on the joint's speeds for a given bearing load.
std::vector<double> calc_naive_friction(const NaiveTree& tree, const NaiveState& state,
                                        const FrictionForce& friction, double load);

// Sum over bearings of c |load| for the wrench (force, torque about C's origin; C's axes) on the
// child.
double calc_naive_bearing_load(const NaiveTree& tree, const FrictionForce& friction,
                               Vec3<double> force, Vec3<double> torque);

}  // namespace cartan::test
