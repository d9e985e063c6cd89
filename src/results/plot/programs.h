// Programs of the machine that draw.
#pragma once

#include <string>

namespace cartan {

// Is there such a program in PATH?
bool has_program(const std::string& name);
// One that draws without a window; "" when there is none.
std::string find_browser();

}  // namespace cartan
