// Any model with parameters in all of its numbers, for derivatives by parameters.
#pragma once

#include <vector>

#include "model/model.h"
#include "support/random.h"

namespace cartan::test {

// Adds parameters s0, s1, s2 = 0 and s3 = 2 s0 - s1, and writes about half of all numbers of the
// model as "number + c s_k": masses, inertia, geometry, force laws, constraints, gravity.
void parametrise(ModelDescription& model, Random& random);

// The parameters with number `which` set to a value and all that depends on it following.
std::vector<double> parameters_with(const Model& model, int which, double value);

}  // namespace cartan::test
