// Components have two spellings: tilt.q[1] as expressions write lists, tilt.q1 as tables name their
// columns. Both are understood everywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/folders.h"

namespace cartan::core {

// The name as tables spell it: "tilt.q1" for "tilt.q[1]", likewise .v and .a; others as they are.
std::string column_spelling(std::string_view name);

// "tilt.q1" as name and component, ("tilt.q", 1); nothing for names that do not end in a number.
std::optional<std::pair<std::string, int>> split_component(std::string_view name);

}  // namespace cartan::core
