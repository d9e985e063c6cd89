// What forces and constraints have in common: a type, and a name even when the file gives none.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/check_context.h"

namespace cartan {

// Names the unnamed: type and running number among its type, passing over names that are taken.
template <class T>
std::vector<std::string> element_names(const std::vector<T>& list) {
  std::unordered_set<std::string> taken;
  for (const T& item : list)
    if (!item.name.empty()) taken.insert(item.name);
  std::vector<std::string> names;
  std::unordered_map<std::string, int> count;
  for (const T& item : list) {
    int& number = count[item.type];
    ++number;
    std::string name = item.name;
    while (name.empty() && !taken.insert(item.type + std::to_string(number)).second) ++number;
    names.push_back(name.empty() ? item.type + std::to_string(number) : name);
  }
  return names;
}

// Complains about a missing or unknown type.
template <class T>
bool check_element_type(CheckContext& check, const T& item, const Owner& owner,
                        const std::vector<std::string>& known) {
  for (const std::string& type : known)
    if (item.type == type) return true;
  if (!item.type.empty())
    check.problems.error(item.type_where, std::string("unknown ") + owner.kind + " type '" + item.type +
                                              "'" + check.suggest(item.type, known));
  else if (item.type_where.line == 0)
    check.problems.error(item.where, std::string("missing key 'type' of a ") + owner.kind);
  return false;
}

// The numbers 1 + 1 + ... where one value may stand for several.
inline Values spread(const Values& values, int count) {
  Values result = values;
  while (!result.empty() && static_cast<int>(result.size()) < count) result.push_back(values[0]);
  return result;
}

inline bool plain_coordinates(JointType type) {
  return type != JointType::spherical && type != JointType::free && type != JointType::fixed;
}

}  // namespace cartan
