// The bicycle without rider (source 004, sec. 7.4 and appendix B.2): rear wheel, frame, fork and
// front wheel, knife-edged wheels that roll on flat ground.
//
// Lean q1, steer q2; the pitch delta is a redundant coordinate, for which the front wheel on the
// ground is an equation; yaw rate u3, rates of the wheels u4 and u5. Of the six speeds u1 .. u5 and
// delta' three are independent: u1, u2, u5.
#pragma once

#include "derivations/derivation.h"

namespace cartan::derivations {

struct Bicycle : Derivation {
  std::vector<Expression> speeds;  // u1, u2, u5
  Expression q1, q2, delta;
  Expression gap;                // height of the front contact under the ground: zero
  DependentSpeeds rolling;       // u3, u4, delta' from the others
  Vec3<Expression> frame_rates;  // angular velocity of the frame, its axes (forward, right, down)
};
std::unique_ptr<Bicycle> derive_bicycle();

// Upright and straight at speed v (a symbol, R2 u5): x' = A(v) x, x = (q1, q2, u1, u2), row by row.
struct BicycleLinearisation {
  Expression v;
  std::vector<Expression> A;
};
BicycleLinearisation linearise(Bicycle& bicycle);

}  // namespace cartan::derivations
