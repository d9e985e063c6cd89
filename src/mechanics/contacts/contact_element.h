// One place where two surfaces may touch, as numbers: a stop of a joint coordinate, or a point of a
// convex surface over a plane or a sphere. A box has eight of them, its corners, a capsule two.
//
// The mode has an entry for each:
//   0 open; 1 closed (with friction: sticking); 2 slipping; from 2^28 on slipping next to a
//   standstill, in a direction that is held (contact_rows.h)
// A closed one has rows among those of the constraints: its normal, and two tangents while it
// sticks. Rows of one that is open are zero, and not active.
#pragma once

#include "core/vec3.h"
#include "model/model.h"

namespace cartan::mechanics {

enum class ContactKind : unsigned char {
  stop,       // sign (q - bound)
  plane,      // a sphere, or with radius zero a point, over a plane
  disc,       // the rim of a disc over a plane
  ellipsoid,  // over a plane
  spheres,    // two spheres, or one inside the other
};

inline constexpr int contact_open = 0, contact_closed = 1;
inline bool is_slipping(int contact_mode) {
  return contact_mode > 1 || contact_mode < 0;
}

template <class S>
struct ContactSurfaces {
  int a_link = -1, b_link = -1;
  Vec3<S> a, b;                    // points in link axes (world: in the world)
  S radius{}, radius_b{};          // of the sphere or disc a, of the sphere b
  Vec3<S> axis;                    // of the disc, axes of link a
  Vec3<S> e1, e2, e3;              // ellipsoid: its axes in those of link a ...
  Vec3<S> squares;                 // ... and the squares of its half axes
  Vec3<S> normal, along1, along2;  // plane, axes of link b
  bool inside = false;             // a is inside the sphere b
};

template <class S>
struct ContactElement {
  int contact = 0;  // in the model
  ContactKind kind = ContactKind::stop;
  int joint = -1, component = 0;  // stop
  int sign = 1;                   // +1: a lower bound
  S bound{};
  ContactSurfaces<S> on;
  S restitution{}, friction{};
  bool rubs = false, rough = false, poisson = false;
  const Formula* active = nullptr;
  int row0 = 0, rows = 1;
};

}  // namespace cartan::mechanics
