// Four numbers side by side. Without AVX the compiler takes two registers for them; functions that
// are not inlined would then hand them over in another way, so they take no part in signatures
// there.
#pragma once

#include "core/folders.h"

namespace cartan::core {

using Lanes4 = double __attribute__((vector_size(32)));

}  // namespace cartan::core
