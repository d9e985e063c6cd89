// A mechanism as plain numbers, independent of any engine: every benchmark, ours and the peers',
// builds from this.
#pragma once

#include <array>

namespace cartan::bench {

using Vec3 = std::array<double, 3>;

enum class JointKind { free, spherical, revolute };

// One rigid link and the joint that carries it. The joint sits at `offset` in the parent's frame;
// the link's own frame has its origin in the joint and, in the zero configuration, the axes of the
// parent.
struct Link {
  const char* name;
  int parent;  // index into the list of links, -1 is the world; parents come first
  JointKind joint;
  Vec3 axis;  // revolute joints only, a unit vector
  Vec3 offset;
  double mass;
  Vec3 com;
  // About the centre of mass: xx yy zz xy xz yz, the elements of the matrix.
  std::array<double, 6> inertia;
};

constexpr int calc_speed_count(JointKind joint) {
  switch (joint) {
    case JointKind::free:
      return 6;
    case JointKind::spherical:
      return 3;
    case JointKind::revolute:
      return 1;
  }
  return 0;
}

}  // namespace cartan::bench
