// Texts of a model file with other names in them: the names of a part get its own in front, `i`
// becomes the number of a copy.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "io/toml_tree.h"

namespace cartan::io {

// Keys whose text is a word and no expression: names, types, colours, ...
bool is_word_key(const std::string& key);

// A name in an expression, as written up to its index or bracket: "hip.q", "length", "'front
// wheel'.q". `first`: its first segment without quotes; `dotted`: whether more follow; `called`: a
// function.
struct ExpressionName {
  std::string first;
  bool dotted = false, called = false;
};
// The expression with the first segment of every name replaced by what `rename` returns; quoted
// where it was, or where it has to be. Texts in brackets of table(..) stay.
std::string rename_in_expression(const std::string& text,
                                 const std::function<std::string(const ExpressionName&)>& rename);

// What names a part has, and what they become.
struct PartNames {
  std::string prefix;            // "left_"
  std::string world;             // what its world becomes: a body's name
  std::set<std::string> plain;   // parameters, definitions, variables, inputs
  std::set<std::string> things;  // bodies, joints, points, ...
  std::set<std::string> functions;
  std::string folder;  // of its files, relative to the model's; "" where they are the same
};
void rename_part(TomlNode& root, const PartNames& names);

}  // namespace cartan::io
