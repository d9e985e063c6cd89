#include "core/text_cut.h"

namespace cartan::core {

// Cuts do not split a letter of several bytes (UTF-8: those after the first are 10xxxxxx).
std::string cut_middle(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto inside_letter = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t head = most * 2 / 5, tail = text.size() - most * 3 / 5;
  while (head > 0 && inside_letter(head)) --head;
  while (tail < text.size() && inside_letter(tail)) ++tail;
  return text.substr(0, head) + " [... " + std::to_string(tail - head) + " bytes ...] " +
         text.substr(tail);
}

}  // namespace cartan::core
