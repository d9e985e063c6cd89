// The chain of rods of source 000 as a model: prisms 2 m x 0.2 m x 0.2 m of 50 kg hanging from
// spherical joints, the whole straight chain tilted about x, the first link perhaps turning.
#pragma once

#include "model_from_work.h"

namespace cartan::bench {

struct RodChain {
  int links = 4;
  double tilt = 0.1;
  Vec3 rate{0, 0, 0};  // of the first link, its own axes
};

inline ModelDescription describe(const RodChain& chain) {
  ModelDescription d;
  d.name = "rods";
  for (int i = 0; i < chain.links; ++i) {
    BodyText body;
    body.name = "b" + std::to_string(i);
    body.mass = 50;
    body.com = {0, 0, -1};
    body.inertia = {"50*(4+0.04)/12", "50*(4+0.04)/12", "50*0.08/12"};
    d.bodies.push_back(body);
    JointText joint;
    joint.name = "j" + std::to_string(i);
    joint.type = "spherical";
    joint.parent.body = i == 0 ? "world" : "b" + std::to_string(i - 1);
    if (i > 0) joint.parent.at = {0, 0, -2};
    joint.child.body = body.name;
    if (i == 0) {
      joint.position.given = true;
      joint.position.rotation.kind = RotationText::Kind::axis_angle;
      joint.position.rotation.values = {1, 0, 0, chain.tilt};
      joint.velocity_given = true;
      joint.velocity = list(chain.rate);
    }
    d.joints.push_back(joint);
  }
  return d;
}

}  // namespace cartan::bench
