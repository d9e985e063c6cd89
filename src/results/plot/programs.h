// Programs of the machine that draw.
#pragma once

#include <string>

#include "core/folders.h"

namespace cartan::results {

// Is there such a program in PATH?
bool has_program(const std::string& name);
// One that draws without a window; "" when there is none.
std::string find_browser();

}  // namespace cartan::results
