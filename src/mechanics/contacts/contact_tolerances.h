// What counts as touching, resting, gained, dependent where contacts are decided about.
#pragma once

#include "core/folders.h"

namespace cartan::mechanics {

inline constexpr double touching_gap = 1e-11;   // of the size of the mechanism
inline constexpr double overlap = 1e-9;         // more is an error of the model
inline constexpr double resting_speed = 1e-12;  // of the speeds of the mechanism
inline constexpr double bounce_height = 5e-14;  // of its size: flights that are lower are none; far
                                                // above the noise of gaps
// of the accelerations: what carries nothing but parts slower than this stays closed. Where that
// was seen to happen it is decided with less, so that the change is made.
inline constexpr double parting = 1e-9, seen_parting = 1e-10;
inline constexpr double no_force = 1e-9;          // of what the accelerations would take
inline constexpr double before_standstill = 0.4;  // part of the time to it that is announced
inline constexpr double beyond_cone = 1e-9;       // part of mu taken away so that sticking ends
inline constexpr double energy_gain = 1e-12;      // of the kinetic energy
inline constexpr double dependent_row = 1e-10;    // of the largest diagonal of A
inline constexpr double gap_noise = 2e-15;  // m: rounding of gaps in a mechanism of some metres

}  // namespace cartan::mechanics
