// A TOML document as a plain tree with the place of every key and value, so that only one file of
// the project sees the parser library.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.h"

namespace cartan::io {

struct TomlEntry;

struct TomlNode {
  enum class Kind { table, array, text, number, boolean, date };
  Kind kind = Kind::table;
  Location where;
  Location text_where;  // text: of its first character, where columns can be counted from it
  std::string text;
  double number = 0;
  bool whole = false;  // number: written as an integer
  bool flag = false;
  std::vector<TomlNode> items;     // array
  std::vector<TomlEntry> entries;  // table, in file order

  bool is(Kind k) const { return kind == k; }
};

struct TomlEntry {
  std::string key;
  Location where;
  TomlNode value;
};

// "a number", "a list", ...: what a message says was found.
std::string describe(const TomlNode& node);

// Moves every place to where the content of its line comes from; `places`: of each line.
void relocate(TomlNode& node, const std::vector<Location>& places);

// Adds a syntax error to `problems` and returns nothing when the text is not TOML.
std::optional<TomlNode> parse_toml(std::string_view text, Diagnostics& problems);

}  // namespace cartan::io
