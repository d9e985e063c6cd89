// A state like the initial one with no number special: where symbolic equations are sampled.
#pragma once

#include "system/system.h"

namespace cartan::results {

State make_sample_state(const System& system);

}  // namespace cartan::results
