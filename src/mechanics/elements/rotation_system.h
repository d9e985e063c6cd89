// Formulation rotation-elements as a System: twelve numbers per body and their rates, a plain
// vector space. What is asked in joints of the file is asked of the same mechanism on SO(3) x R3
// (absolute_system.h), at the nearest rotations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::mechanics {

// "" or why the model cannot be run this way.
std::string refuse_rotation_elements(const Model& model);

std::unique_ptr<MechanicalSystem> make_rotation_elements(const Model& model,
                                                         std::vector<double> parameters);

// The rotation closest to R (polar decomposition); nothing where R is far from any.
std::optional<Mat3<double>> nearest_rotation(const Mat3<double>& R);

}  // namespace cartan::mechanics
