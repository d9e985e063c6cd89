// Interpreters for generated code.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "core/child_process.h"

namespace cartan::test {

// "" when there is none.
inline std::string python_with_numpy() {
  std::vector<std::string> candidates = {"python3", "/usr/bin/python3"};
  if (const char* chosen = std::getenv("PYTHON")) candidates = {chosen};
  for (const std::string& name : candidates)
    if (run_child({name, "-c", "import numpy"}).status == 0) return name;
  return "";
}

}  // namespace cartan::test
