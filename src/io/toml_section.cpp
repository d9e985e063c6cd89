#include "io/toml_section.h"

#include <algorithm>
#include <cmath>

namespace cartan::io {

using Kind = TomlNode::Kind;

bool check_format(const TomlNode& root, Diagnostics& problems) {
  for (const TomlEntry& entry : root.entries) {
    if (entry.key != "format") continue;
    const TomlNode& node = entry.value;
    const std::string known = std::to_string(file_format);
    std::string problem;
    if (!node.is(TomlNode::Kind::number) || !node.whole)
      problem = "expected `format = " + known + "`, got " + describe(node);
    else if (node.number > file_format)
      problem = "this file has format " + std::to_string(static_cast<long>(node.number)) +
                ", newer than this program, which reads format " + known +
                "; use a newer version of cartan";
    else if (node.number < file_format)
      problem = "there are no files of format " + std::to_string(static_cast<long>(node.number)) +
                "; expected `format = " + known + "`, or none for the current one";
    if (problem.empty()) continue;
    problems.error(node.where, problem);
    return false;
  }
  return true;
}

bool expect(const TomlNode& node, Kind kind, const std::string& expected, Diagnostics& problems) {
  if (node.is(kind)) return true;
  problems.error(node.where, "expected " + expected + ", got " + describe(node));
  return false;
}

std::string join(const std::vector<std::string>& words, const std::string& last_joint) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i)
    result += (i == 0 ? "" : i + 1 == words.size() ? last_joint : ", ") + words[i];
  return result;
}

Value read_value(const TomlNode& node, Diagnostics& problems) {
  Value value;
  value.where = node.where;
  if (node.is(Kind::number)) {
    value.number = node.number;
  } else if (node.is(Kind::text) && !node.text.empty()) {
    value.text = node.text;
    value.text_where = node.text_where;
  } else {
    value.reported = true;
    problems.error(node.where, "expected a number or an expression in quotes, got " +
                                   (node.is(Kind::text) ? "an empty text" : describe(node)));
  }
  return value;
}

Values read_values(const TomlNode& node, Diagnostics& problems) {
  Values values;
  if (!node.is(Kind::array)) {
    values.push_back(read_value(node, problems));
  } else if (node.items.empty()) {
    problems.error(node.where, "expected numbers or expressions in quotes, got an empty list");
  } else {
    for (const TomlNode& item : node.items) values.push_back(read_value(item, problems));
  }
  for (const Value& value : values)
    if (value.reported) {
      values.clear();
      break;
    }
  values.where = node.where;
  return values;
}

const TomlNode* TomlSection::find(const std::string& key) const {
  for (const TomlEntry& entry : table_.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

void TomlSection::read(const std::string& key, std::string& text, Location& place) const {
  const TomlNode* node = find(key);
  if (!node) return;
  place = node->where;
  if (!expect(*node, Kind::text, "a text in quotes", problems_)) return;
  text = node->text;
  if (text.empty()) problems_.error(place, "expected a text for '" + key + "', got an empty one");
}
void TomlSection::read(const std::string& key, std::string& text) const {
  Location unused;
  read(key, text, unused);
}
void TomlSection::read(const std::string& key, Reference& reference) const {
  read(key, reference.name, reference.where);
}
void TomlSection::read(const std::string& key, Value& value) const {
  if (const TomlNode* node = find(key)) value = read_value(*node, problems_);
}
void TomlSection::read(const std::string& key, std::optional<Value>& value) const {
  if (const TomlNode* node = find(key)) value = read_value(*node, problems_);
}
void TomlSection::read(const std::string& key, Values& values) const {
  if (const TomlNode* node = find(key)) values = read_values(*node, problems_);
}
void TomlSection::read(const std::string& key, bool& flag) const {
  const TomlNode* node = find(key);
  if (node && expect(*node, Kind::boolean, "true or false", problems_)) flag = node->flag;
}
void TomlSection::read(const std::string& key, std::optional<int>& number, Location& place) const {
  const TomlNode* node = find(key);
  if (!node) return;
  place = node->where;
  if (!expect(*node, Kind::number, "a whole number", problems_)) return;
  if (node->whole && std::abs(node->number) < 1e9)
    number = static_cast<int>(node->number);
  else
    problems_.error(node->where, "expected a whole number below 1e9");
}
void TomlSection::read(const std::string& key, RotationText& rotation) const {
  if (const TomlNode* node = find(key)) rotation = read_rotation(*node, problems_);
}

void TomlSection::finish(const std::vector<KeyRule>& rules, const std::string& kind,
                         const std::string& type) const {
  for (const TomlEntry& entry : table_.entries) {
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const KeyRule& r) { return r.key == entry.key; });
    if (rule == rules.end()) {
      std::vector<std::string> known;
      for (const KeyRule& r : rules) known.push_back(r.key);
      const std::string near = nearest_name(entry.key, known);
      problems_.error(entry.where, "unknown key '" + entry.key + "'; " +
                                       (near.empty() ? "expected one of: " + join(known, ", ")
                                                     : "did you mean '" + near + "'?"));
    } else if (!type.empty() && !rule->types.empty() &&
               std::find(rule->types.begin(), rule->types.end(), type) == rule->types.end()) {
      problems_.error(entry.where, "'" + entry.key + "' belongs to " + join(rule->types) + " " +
                                       kind + "s, not to type '" + type + "'");
    }
  }
}

}  // namespace cartan::io
