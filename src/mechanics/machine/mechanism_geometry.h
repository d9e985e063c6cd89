// Fields on the states of a mechanism in joint coordinates that may be symmetries.
//
// Fields, joint by joint, X = (R, p) the pose of C in P, V = (w, u) its twist in C's axes:
//   left   X -> exp(e T) X    motion of the child's side in P's axes; V stays
//   right  X -> X exp(e S)    motion in C's axes; V -> Ad_exp(-e S) V, so that in space it stays
//   shift  one coordinate
// spherical: left and right rotations; free: all six of both; planar: shifts, the rotation about
// P's origin (left), translations in C's axes (right); translation: shifts and left rotations; all
// others: shifts. Motions of the world, spins of bodies about axes that carry other bodies, and all
// other symmetries of the contract are linear combinations of these.
#pragma once

#include <memory>
#include <vector>

#include "mechanics/machine/mechanism.h"
#include "system/motion_geometry.h"

namespace cartan::mechanics {

// The mechanism must outlive the geometry.
std::unique_ptr<MotionGeometry> make_mechanism_geometry(const Mechanism<double>& mechanism);

}  // namespace cartan::mechanics
