// Files of examples/ that `cartan new` writes, compiled in (see src/CMakeLists.txt).
#pragma once

#include <string>

#include "core/folders.h"

namespace cartan::cli {

// Text of examples/NAME.toml as a template; empty where NAME is not among them.
std::string embedded_example(const std::string& name);

}  // namespace cartan::cli
