// Variables of the environment.
#pragma once

#include <cstdlib>

#include "core/folders.h"

namespace cartan::core {

// Null where it is not set, or empty.
inline const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

}  // namespace cartan::core
