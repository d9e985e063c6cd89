// Reads one table of a model file key by key. What has the wrong form is complained about once, at
// its place, and left out (see the head of model/description.h); `finish` complains about the keys
// nobody knows and about those that belong to another type.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/toml_tree.h"
#include "model/description.h"
#include "model/quantities.h"

namespace cartan::io {

// A key a table may have. `types`: the values of `type` it belongs to, empty: all.
struct KeyRule {
  const char* key;
  std::vector<std::string> types = {};
};

class TomlSection {
 public:
  TomlSection(const TomlNode& table, Diagnostics& problems) : table_(table), problems_(problems) {}

  Location where() const { return table_.where; }
  Diagnostics& problems() const { return problems_; }
  const TomlNode* find(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }

  // Each leaves its target alone when the key is absent.
  void read(const std::string& key, std::string& text, Location& place) const;
  void read(const std::string& key, std::string& text) const;
  void read(const std::string& key, Reference& reference) const;
  void read(const std::string& key, Value& value) const;
  void read(const std::string& key, std::optional<Value>& value) const;
  void read(const std::string& key, Values& values) const;
  void read(const std::string& key, bool& flag) const;
  void read(const std::string& key, std::optional<int>& number, Location& place) const;
  void read(const std::string& key, RotationText& rotation) const;

  // Unknown keys, and keys of other types: `kind` names the family in messages ("joint"), `type` is
  // this table's type, "" when it has none or an unknown one.
  void finish(const std::vector<KeyRule>& rules, const std::string& kind = "",
              const std::string& type = "") const;

 private:
  const TomlNode& table_;
  Diagnostics& problems_;
};

// The same for values that are not behind a key.
Value read_value(const TomlNode& node, Diagnostics& problems);
Values read_values(const TomlNode& node, Diagnostics& problems);
RotationText read_rotation(const TomlNode& node, Diagnostics& problems);
// The rotation among the keys of a table that may hold more (a joint's position).
RotationText read_rotation_keys(const TomlSection& section);

// The format of model and study files that this program reads. A file may carry the number.
inline constexpr int file_format = 2;
// False after a complaint about the number: the rest of the file cannot be judged.
bool check_format(const TomlNode& root, Diagnostics& problems);

// Complains "expected ..., got a number" and answers whether the node is of the kind.
bool expect(const TomlNode& node, TomlNode::Kind kind, const std::string& expected,
            Diagnostics& problems);

// { body = .., at = .. } and, where a frame is meant, `rotate`
enum class PlacementForm { point, frame };
PlacementText read_placement(const TomlNode& node, PlacementForm form, Diagnostics& problems);
void read_placement(const TomlSection& section, const std::string& key, PlacementForm form,
                    PlacementText& placement);

// "a, b and c"
std::string join(const std::vector<std::string>& words, const std::string& last_joint = " and ");

// -- keys of [[force]] and [[constraint]]: what their types say they have (model/forces/TYPE.h,
// model/constraints/TYPE.h)

template <class Law>
void add_keys_of(std::vector<KeyRule>& rules) {
  for (const ElementKey& key : Law::keys) {
    const auto found = std::find_if(rules.begin(), rules.end(), [&](const KeyRule& rule) {
      return std::string_view(rule.key) == key.key;
    });
    if (found == rules.end())
      rules.push_back({key.key, {Law::type}});
    else
      found->types.push_back(Law::type);
  }
}

// All keys, each with the types that have it.
template <class... Law>
std::vector<KeyRule> keys_of_types(const std::variant<Law...>*) {
  std::vector<KeyRule> rules = {{"name"}, {"type"}};
  (add_keys_of<Law>(rules), ...);
  return rules;
}

}  // namespace cartan::io
