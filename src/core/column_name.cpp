#include "core/column_name.h"

#include <charconv>

namespace cartan::core {
namespace {

constexpr std::string_view decimal_digits = "0123456789";
constexpr std::size_t most_digits = 6;

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= most_digits &&
         text.find_first_not_of(decimal_digits) == std::string_view::npos &&
         (text.size() == 1 || text[0] != '0');
}

// Ends with .q, .v or .a.
bool is_list(std::string_view name) {
  return name.size() > 2 && name[name.size() - 2] == '.' &&
         std::string_view("qva").find(name.back()) != std::string_view::npos;
}

}  // namespace

std::string column_spelling(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos || !name.ends_with(']') || !is_list(name.substr(0, open)))
    return std::string(name);
  const std::string_view index = name.substr(open + 1, name.size() - open - 2);
  if (!is_number(index)) return std::string(name);
  return std::string(name.substr(0, open)) + std::string(index);
}

std::optional<std::pair<std::string, int>> split_component(std::string_view name) {
  const std::size_t last = name.find_last_not_of(decimal_digits);
  if (last == std::string_view::npos) return std::nullopt;
  const std::string_view number = name.substr(last + 1);
  if (!is_number(number)) return std::nullopt;
  int component = 0;
  std::from_chars(number.data(), number.data() + number.size(), component);
  return std::pair(std::string(name.substr(0, last + 1)), component);
}

}  // namespace cartan::core
