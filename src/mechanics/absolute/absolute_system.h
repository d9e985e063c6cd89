// Formulations absolute-se3 and absolute-so3r3: every body free, every joint a constraint.
//
// The state of a body is its attitude (unit quaternion), the place of its centre of mass, its
// angular velocity in body axes and the velocity of the centre of mass: in body axes, with the pose
// as one element of SE(3), or in world axes, on the product SO(3) x R3. `group` in the file decides
// for a body; bodies without follow the formulation. Joint coordinates appear in reports only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::mechanics {

// The model with a free joint to the world per body, at its centre of mass; these are the tree, and
// all joints of the file close loops.
Model make_absolute_model(const Model& model, const std::vector<double>& parameters);

// "" or why the model cannot be run this way.
std::string refuse_absolute(const Model& model);

std::unique_ptr<MechanicalSystem> make_absolute_se3(const Model& model,
                                                    std::vector<double> parameters);
std::unique_ptr<MechanicalSystem> make_absolute_so3r3(const Model& model,
                                                      std::vector<double> parameters);

}  // namespace cartan::mechanics
