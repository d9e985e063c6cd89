// What of a folder of results the viewer's server gives away.
#pragma once

#include <string>

#include "core/folders.h"

namespace cartan::cli {

// A result file of the folder itself: no other name, and no link that leads elsewhere. False: none.
bool read_result_file(const std::string& folder, const std::string& name, std::string& content);

}  // namespace cartan::cli
