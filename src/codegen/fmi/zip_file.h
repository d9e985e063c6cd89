// A ZIP archive whose files are stored as they are (method 0): what an FMU may be, and every tool
// reads it.
#pragma once

#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::codegen {

struct ZipEntry {
  std::string name;  // with `/` between folders
  std::string content;
};

// The archive's bytes. They depend on the entries alone: all files bear the first date the format
// knows. Below 4 GB.
std::string make_zip(const std::vector<ZipEntry>& entries);

}  // namespace cartan::codegen
