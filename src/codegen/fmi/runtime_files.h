// The C files that are the same in every FMU (codegen/fmi/runtime), put into the program by the
// build.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/folders.h"

namespace cartan::codegen {

std::vector<std::pair<std::string, std::string>> fmu_runtime_files();  // name, text
std::string license_text();                                            // of Cartan

}  // namespace cartan::codegen
