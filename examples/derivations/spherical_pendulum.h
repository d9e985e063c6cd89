// A particle on a rod under a ceiling that turns with the planet and is shaken up and down, in air
// (source 004, sec. 6.7.5): Foucault's pendulum, and the pendulum that stands on its head.
#pragma once

#include "derivations/derivation.h"

namespace cartan::derivations {

std::unique_ptr<Derivation> derive_spherical_pendulum();

}  // namespace cartan::derivations
