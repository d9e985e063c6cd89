// Sines and cosines of many angles at once, as a function in C or C++ that is part of the code.
#pragma once

#include "core/folders.h"

namespace cartan::codegen {

// Angles stand in groups of so many.
inline constexpr int turn_group = 4;

// `@static`, `@restrict` and `@` (before the name) are to be replaced.
extern const char* const turn_helper;

}  // namespace cartan::codegen
