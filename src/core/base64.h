// Bytes as letters of the Base64 alphabet, and back.
#pragma once

#include <string>
#include <string_view>

#include "core/folders.h"

namespace cartan::core {

std::string to_base64(std::string_view bytes);
// Up to the first letter that is none of Base64.
std::string from_base64(std::string_view text);

}  // namespace cartan::core
