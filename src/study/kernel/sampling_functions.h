// The text that kernels sample with (kernel/sampling.h), for this program. Files that include this
// are compiled without fused multiplication.
#pragma once

#include <math.h>

namespace cartan::study::sampling {
#include "study/kernel/sampling.h"  // IWYU pragma: export
}  // namespace cartan::study::sampling
