// Closed models that several tests of commands use.
#pragma once

#include "cli/command_line.h"

namespace cartan::test {

inline std::string example_path(const std::string& name) {
  return std::string(CARTAN_ROOT) + "/examples/" + name + ".toml";
}

// A part of a text replaced; the part must be there.
std::string replaced(std::string text, const std::string& part, const std::string& by);

// The four-bar whose tree joints begin at zero; `guess`: what is written for the loop joint.
std::string four_bar_without_start(const std::string& guess);

}  // namespace cartan::test
