// A part of Cartan in a shared library of its own beside the program, loaded when it is first used:
// what it stands on (Ceres with LAPACK, a web server with OpenSSL) takes longer to load than many a
// command takes to run.
#pragma once

#include <string>

#include "core/optional_library.h"

namespace cartan::core {

// `name`: as in libcartan_NAME.so, which packages know with the version behind it.
OptionalLibrary load_part(const std::string& name);

// What to say where it could not be loaded.
std::string explain_missing_part(const std::string& name);

}  // namespace cartan::core
