// A guard in front of the TOML parser: a key of a million parts (a.a.a. ...) would nest a million
// tables and exhaust the stack when they are taken down. Nesting by brackets the parser limits by
// itself.
#pragma once

#include <optional>
#include <string_view>

#include "core/diagnostics.h"

namespace cartan::io {

inline constexpr int max_key_parts = 16;

// The place of the first key with more than `max_key_parts` parts.
std::optional<Location> find_too_deep_key(std::string_view text);

}  // namespace cartan::io
