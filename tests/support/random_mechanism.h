// Seeded random mechanisms: trees of any branching over all joint types, all force elements,
// off-centre bodies with full inertia matrices. The same seed and options give the same model on
// every machine. The result is a description like one read from a file, to be checked like one.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"
#include "support/random.h"

namespace cartan::test {

struct RandomMechanismOptions {
  int min_bodies = 1, max_bodies = 40;
  // how likely a new body is attached to the last one instead of any earlier one (or the world)
  double chain = 0.5;
  std::vector<JointType> joints = {
      JointType::fixed,       JointType::revolute,  JointType::prismatic, JointType::screw,
      JointType::cylindrical, JointType::universal, JointType::planar,    JointType::spherical,
      JointType::translation, JointType::free};
  // how likely a spherical joint that was drawn is an ellipsoidal one
  double ellipsoidal = 0.4;
  double turned = 0;        // how likely an angle of a hinge starts several turns away
  double rotors = 0.2;      // how likely a joint with plain coordinates has a rotor
  bool inputs = true;       // expressions mention an entry of [inputs]
  double switches = 0;      // how likely an expression has a corner: abs, max
  int variables = 0;        // [variables] beside the bodies, which forces read (`forces` or not)
  bool tyre = false;        // and one with a variable of its own, where there are variables
  bool reversed = true;     // some joints have the new body as their parent
  bool shuffled = true;     // bodies and joints stand in the file in any order
  bool expressions = true;  // some numbers are written over parameters
  bool thin_bodies = true;  // plates everywhere; rods and particles where joints still see inertia
  bool shapes = true;       // some bodies have shapes and a density
  bool gravity = true;
  bool varying_gravity = true;  // sometimes of time, sometimes tied to a body
  bool floating = false;        // the first joint is free and it is the only one to the world

  // force elements; `forces` false: none
  bool forces = true;
  bool springs = true, torsion = true, wrenches = true, joint_forces = true, potentials = true,
       smooth_friction = true, exact_friction = true, bearings = true, drag = true, bushings = true;
  bool internal_only =
      false;  // springs between bodies, torsion, joint damping: nothing from outside
  bool time_dependent = true;  // expressions may use t
};

ModelDescription make_random_mechanism(std::uint64_t seed,
                                       const RandomMechanismOptions& options = {});

// Checks it and stops the test program with the findings when it is not a legal model.
Model make_checked_random_model(std::uint64_t seed, const RandomMechanismOptions& options = {});

}  // namespace cartan::test
