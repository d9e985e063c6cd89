// Sentences with numbers, as printf writes them.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

#include "core/folders.h"

namespace cartan::integrate {

__attribute__((format(printf, 1, 2))) inline std::string format(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

}  // namespace cartan::integrate
