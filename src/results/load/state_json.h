// STATE.json: { "t": 0, "q": { "joint": [..] }, "v": { "joint": [..] } }; for a [variables] file
// { "t": 0, "variables": { "x": 1 } }.
#pragma once

#include <optional>
#include <string>

#include "results/load/state_file.h"

namespace cartan::results {

// All problems at once; the state is worth something only when there is none.
std::optional<StateValues> read_state_json(const std::string& path, const Model& model,
                                           Diagnostics& problems);
// The same of the text itself.
std::optional<StateValues> parse_state_json(const std::string& text, const Model& model,
                                            Diagnostics& problems);

}  // namespace cartan::results
