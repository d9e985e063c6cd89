// The n-link pendulum of pendulum_chain.h as a model file.
//
// relative: links on universal joints, one after the other. absolute: every link on a universal
// joint of a carrier without mass that only translates in the world, and spherical loop joints
// between the links; the carrier holds the torsion, as the inertial frame does in the document.
// The initial state is that of the derivation's sample values at time t0, which is a parameter
// (the shaker stands at a sin(omega (t + t0))); the angles of link i are those of `jointi`.
#pragma once

#include "derivations/pendulum_chain.h"

namespace cartan::derivations {

std::string pendulum_chain_file(int links, Angles angles, double t0 = 0.7);

}  // namespace cartan::derivations
