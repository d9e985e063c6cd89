// What the parts of the random-mechanism generator share.
#pragma once

#include <string>

#include "support/random_mechanism.h"

namespace cartan::test::random_parts {

struct Builder {
  Random random;
  Random turns;   // of its own: the rest does not depend on it
  Random rotors;  // likewise
  Random corners;
  const RandomMechanismOptions& options;
  ModelDescription model;
  std::vector<JointType> joint_types;  // beside model.joints

  Builder(std::uint64_t seed, const RandomMechanismOptions& o)
      : random(seed), turns(~seed), rotors(~seed / 2), corners(~seed / 5), options(o) {}
};

// A number, sometimes written as an expression over the parameters.
Value number(Builder& b, double x);
Values numbers(Builder& b, const Vec3<double>& a);
RotationText rotation(Builder& b, const Quat<double>& q);  // in any notation
PlacementText placement(Builder& b, const std::string& body, double reach);

void add_bodies_and_joints(Builder& b);
void add_gravity(Builder& b);
void add_forces(Builder& b);
void add_rotors(Random& random, double likelihood, std::vector<JointText>& joints);
// Their rates read everything; a joint force and a wrench read them.
void add_variables(Builder& b);

}  // namespace cartan::test::random_parts
