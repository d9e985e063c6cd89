#include "core/printable.h"

#include <fmt/format.h>

namespace cartan::core {
namespace {

bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7f;
}

// U+0080 to U+009F in UTF-8: terminals take them for ESC and a letter.
bool is_high_control(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]) == 0xc2 && at + 1 < text.size() &&
         static_cast<unsigned char>(text[at + 1]) >= 0x80 &&
         static_cast<unsigned char>(text[at + 1]) < 0xa0;
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    const unsigned char c = static_cast<unsigned char>(text[k]);
    const bool spacing = c == '\n' || c == '\t';
    if (is_high_control(text, k)) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++k]));
    } else if (is_control(c) && !(spacing && lines == Lines::kept)) {
      shown += fmt::format("\\x{:02x}", c);
    } else {
      shown += text[k];
    }
  }
  return shown;
}

bool is_printable(std::string_view text) {
  for (std::size_t k = 0; k < text.size(); ++k)
    if (is_control(static_cast<unsigned char>(text[k])) || is_high_control(text, k)) return false;
  return true;
}

}  // namespace cartan::core
