// The text of a model file, at most 16 MB of it.
#pragma once

#include <optional>
#include <string>

#include "core/diagnostics.h"

namespace cartan::io {

std::optional<std::string> read_toml_text(const std::string& path, Diagnostics& problems);

}  // namespace cartan::io
