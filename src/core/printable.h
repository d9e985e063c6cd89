// Text from elsewhere made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "core/folders.h"

namespace cartan::core {

enum class Lines { kept, escaped };

// Control characters, those of the upper half of Latin-1 among them, as \xNN; line breaks and tabs
// too unless they are kept.
std::string printable(std::string_view text, Lines lines = Lines::escaped);

// Has it any?
bool is_printable(std::string_view text);

}  // namespace cartan::core
