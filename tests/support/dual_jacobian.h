// The Jacobian of a mechanism by dual numbers, where `recursive` has formulas of its own (which
// tests/agree compares with dual numbers).
#pragma once

#include "mechanics/machine/mechanism_system.h"

namespace cartan::test {

// The formulas know no Baumgarte feedback; one of this size changes no digit.
inline void use_dual_numbers(System& system) {
  if (auto* mechanism = dynamic_cast<MechanicalSystem*>(&system)) mechanism->set_baumgarte(1e-300);
}

}  // namespace cartan::test
