#include "io/toml_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

// The library is used header-only whatever its package says: this is its only user, and parsing
// without exceptions is a compile-time setting. Its assertions are switched off rather than turned
// into promises to the optimiser (which NDEBUG does): text that is not TOML can break them, and the
// code behind each of them reports an error properly. The tests for blanks and letters take it for
// impossible that some characters (a-umlaut is one) stand where blanks may; here they answer no
// instead.
#undef NDEBUG
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/impl/forward_declarations.h>
#pragma push_macro("TOML_UNREACHABLE")
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE return false
#include <toml++/impl/unicode.h>
#pragma pop_macro("TOML_UNREACHABLE")
#include <toml++/toml.h>

#include "io/toml_depth.h"

namespace cartan::io {
namespace {

Location location(const toml::source_position& position) {
  return {static_cast<int>(position.line), static_cast<int>(position.column)};
}

// Finds characters by line and column in the text the library has read.
class Source {
 public:
  explicit Source(std::string_view text) : text_(text) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') lines_.push_back(i + 1);
  }

  // Where the content of the string literal at `where` begins; nothing if its columns do not follow
  // those of the file (several lines, escapes).
  Location content(Location where) const {
    std::size_t i = find(where);
    if (i >= text_.size() || (text_[i] != '"' && text_[i] != '\'')) return {};
    const char quote = text_[i];
    if (text_.substr(i, 3) == std::string(3, quote)) return {};
    for (++i; i < text_.size() && text_[i] != quote; ++i)
      if (text_[i] == '\\' && quote == '"') return {};
    return {where.line, where.column + 1};
  }

 private:
  // Columns count code points, not bytes.
  std::size_t find(Location where) const {
    if (where.line < 1 || where.line > static_cast<int>(lines_.size())) return text_.size();
    std::size_t i = lines_[where.line - 1];
    if (i == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") i = 3;
    for (int column = 1; column < where.column && i < text_.size(); ++column) {
      ++i;
      while (i < text_.size() && (static_cast<unsigned char>(text_[i]) & 0xC0) == 0x80) ++i;
    }
    return i;
  }

  std::string_view text_;
  std::vector<std::size_t> lines_;
};

bool before(const Location& a, const Location& b) {
  return std::pair(a.line, a.column) < std::pair(b.line, b.column);
}

TomlNode convert(const toml::node& node, const Source& source);

// The library keeps tables sorted by key; the file's order is restored from the places of the keys.
void convert_entries(const toml::table& table, const Source& source, TomlNode& result) {
  for (auto&& [key, value] : table)
    result.entries.push_back(
        {std::string(key.str()), location(key.source().begin), convert(value, source)});
  std::stable_sort(result.entries.begin(), result.entries.end(),
                   [](const TomlEntry& a, const TomlEntry& b) { return before(a.where, b.where); });
}

TomlNode convert(const toml::node& node, const Source& source) {
  using Kind = TomlNode::Kind;
  TomlNode result;
  result.where = location(node.source().begin);
  if (const toml::table* table = node.as_table()) {
    convert_entries(*table, source, result);
  } else if (const toml::array* array = node.as_array()) {
    result.kind = Kind::array;
    for (const toml::node& item : *array) result.items.push_back(convert(item, source));
  } else if (const auto* text = node.as_string()) {
    result.kind = Kind::text;
    result.text = text->get();
    result.text_where = source.content(result.where);
  } else if (const auto* integer = node.as_integer()) {
    result.kind = Kind::number;
    result.number = static_cast<double>(integer->get());
    result.whole = true;
  } else if (const auto* real = node.as_floating_point()) {
    result.kind = Kind::number;
    result.number = real->get();
  } else if (const auto* flag = node.as_boolean()) {
    result.kind = Kind::boolean;
    result.flag = flag->get();
  } else {
    result.kind = Kind::date;
  }
  return result;
}

}  // namespace

std::string describe(const TomlNode& node) {
  static constexpr std::array names = {"a table",  "a list",    "a text",
                                       "a number", "a boolean", "a date"};
  return names[static_cast<std::size_t>(node.kind)];
}

void relocate(TomlNode& node, const std::vector<Location>& places) {
  const auto moved = [&](Location where) {
    const bool known = where.line > 0 && where.line <= static_cast<int>(places.size());
    return known && places[where.line - 1].line > 0 ? places[where.line - 1] : Location{};
  };
  node.where = moved(node.where);
  node.text_where = {};
  for (TomlNode& item : node.items) relocate(item, places);
  for (TomlEntry& entry : node.entries) {
    entry.where = moved(entry.where);
    relocate(entry.value, places);
  }
}

std::optional<TomlNode> parse_toml(std::string_view text, Diagnostics& problems) {
  if (const std::optional<Location> deep = find_too_deep_key(text)) {
    problems.error(
        *deep, "this key has too many parts; expected at most " + std::to_string(max_key_parts));
    return std::nullopt;
  }
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    const toml::parse_error& error = result.error();
    problems.error(location(error.source().begin),
                   "not valid TOML: " + std::string(error.description()));
    return std::nullopt;
  }
  return convert(result.table(), Source(text));
}

}  // namespace cartan::io
