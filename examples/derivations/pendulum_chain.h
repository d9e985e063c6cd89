// n links, one after the other, on spherical joints without torsion, two angles each; the first
// joint is shaken up and down (source 004, sec. 5.4). Lengths, masses and gravity are one.
#pragma once

#include "derivations/derivation.h"

namespace cartan::derivations {

// Angles of a link against the link before, or against the inertial frame.
enum class Angles { relative, absolute };
// How vectors are kept on the way. evaluated: components of every sum in one frame (the first
// operand goes to the frame of the second), and differentiation in the inertial frame. delayed:
// sums stay sums.
enum class Components { delayed, evaluated };

struct PendulumChain : Derivation {
  std::vector<Expression> q, u;
  std::unique_ptr<KaneSystem> system;  // velocities, forces, inertia
};

// Without equations: geometry, velocities, forces.
std::unique_ptr<PendulumChain> describe_pendulum_chain(int links, Angles angles,
                                                       Components components = Components::delayed);
// With M u' = f.
std::unique_ptr<PendulumChain> derive_pendulum_chain(int links, Angles angles);
// As the document does it: tangent vectors, rates of the momenta, projection; each equation is an
// expression that vanishes, with u' as symbols.
std::vector<Expression> derive_as_document(PendulumChain& chain, Components components);

}  // namespace cartan::derivations
