// The keys of [[force]] and [[constraint]]: what their types say they have (model/forces/TYPE.h,
// model/constraints/TYPE.h).
#pragma once

#include <algorithm>
#include <string_view>
#include <variant>

#include "io/toml_section.h"
#include "model/quantities.h"

namespace cartan {

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

}  // namespace cartan
