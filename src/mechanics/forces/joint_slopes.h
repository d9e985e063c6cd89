// Slopes of forces that act within one joint and can tell them without dual numbers: springs and
// dampers are most of what makes a mechanism stiff, and implicit methods ask for them often. A
// force that can has `fill_joint_slopes`; tests/agree compares with dual numbers.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// By displacements (like speeds) and by speeds of the joint: [on][by] of the forces on its speeds;
// of the power. The length of a quaternion makes no difference.
struct JointSlopes {
  double by_q[6][6] = {}, by_v[6][6] = {};
  double power_by_v[6] = {};  // by displacements there is none
};

// Whether force element k does.
bool has_joint_slopes(const Mechanism<double>& mechanism, int k);
// At the positions and speeds of ws.
void fill_joint_slopes(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws, int k,
                       JointSlopes& slopes);

}  // namespace cartan::mechanics
