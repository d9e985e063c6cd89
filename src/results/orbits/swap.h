// Relabelling of equal parts: "left=right" exchanges every name with `left` in it and the same name
// with `right` in its place.
#pragma once

#include <string>
#include <vector>

#include "system/system.h"

namespace cartan::results {

// Per number of the state without quadratures: the one it is exchanged with, or itself. Refuses
// what has no counterpart. `command` and what the text is called there for messages.
std::vector<int> read_swap(const std::string& command, const System& system,
                           const std::string& text, const std::string& called = "--swap");
// Another name under the same exchange, whose text was read before.
std::string swapped_name(std::string name, const std::string& text);

}  // namespace cartan::results
