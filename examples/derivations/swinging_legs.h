// The pair of swinging legs (source 004, sec. 3.3): a particle on a horizontal line, pulled by a
// spring, carries two homogeneous bars.
#pragma once

#include "derivations/derivation.h"

namespace cartan::derivations {

struct SwingingLegs : Derivation {
  std::vector<Expression> q, u;
  std::unique_ptr<KaneSystem> system;
};
std::unique_ptr<SwingingLegs> derive_swinging_legs();

}  // namespace cartan::derivations
