// Texts of users inside messages: nobody reads a line of sixty thousand letters.
#pragma once

#include <string>

#include "core/folders.h"

namespace cartan::core {

// The text, or its beginning and its end with the number of letters left out between them.
std::string cut_middle(const std::string& text, std::size_t most = 600);

}  // namespace cartan::core
