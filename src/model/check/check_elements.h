// What forces and constraints have in common: a type, and a name even when the file gives none.
#pragma once

#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "model/check/check_context.h"

namespace cartan::model {

// Of a mesh: one number for all three directions, or one for each; a negative one is a mirror
// image. Three numbers.
Formula check_scale(CheckContext& check, const Values& text, const Owner& owner);

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
    check.problems.error(item.type_where, std::string("unknown ") + owner.kind + " type '" +
                                              item.type + "'" + check.suggest(item.type, known));
  else if (item.type_where.line == 0)
    check.problems.error(item.where, std::string("missing key 'type' of a ") + owner.kind);
  return false;
}

inline void require_any(CheckContext& check, bool any, const Owner& owner, const char* keys) {
  if (!any)
    check.problems.error(owner.where, "force '" + owner.name + "' does nothing; expected " + keys);
}

inline void warn_same_body(CheckContext& check, int from, int to, const Owner& owner) {
  if (from == to && from != unresolved)
    check.problems.warning(owner.where,
                           "both ends of force '" + owner.name + "' are on the same body");
}

inline void refuse_same_body(CheckContext& check, int a, int b, const Owner& owner) {
  if (a == b && a != unresolved)
    check.problems.error(owner.where,
                         "constraint '" + owner.name +
                             "' acts between a body and itself; expected two different bodies");
}

// A direction that must be there.
inline Formula require_direction(CheckContext& check, const Values& values, const Field& field) {
  check.require(values, field);
  const Checked checked = check.numbers(values, field);
  check.demand_direction(checked, field);
  return checked.formula;
}

// The law of an element by the check of its type (model/forces/TYPE.h, model/constraints/TYPE.h).
template <class Text, class... Law>
void check_law(CheckContext& check, const Text& text, const Owner& owner,
               std::variant<Law...>& law) {
  const auto check_as = [&]<class L>(std::type_identity<L>) {
    if (text.type == L::type) law = L::check(check, text, owner);
  };
  (check_as(std::type_identity<Law>()), ...);
}

inline void warn_hidden_parameters(CheckContext& check, const ForceText& text, const Owner& owner) {
  for (const Value& value : text.value) {
    ExpressionError ignored;
    for (const std::string& name :
         names_in(parse_expression(value.text, ignored, &check.names.functions())))
      if ((name == "q" || name == "v") && check.names.find_parameter(name) >= 0)
        check.problems.warning(
            value.where, "in the value of force '" + owner.name + "', " + name +
                             " is the joint's coordinate and hides the parameter '" + name + "'");
  }
}

// `count` numbers, of which a single one may stand for all; zero when absent.
inline Formula spread_numbers(CheckContext& check, const Values& values, const Field& field,
                              int count, bool warn_if_negative) {
  Field one_or_all = field;
  if (count > 1) one_or_all.lengths = {1, count};
  const Checked checked = check.numbers(values, one_or_all);
  if (warn_if_negative) check.warn_negative(checked, field);
  Values all = checked.ok() ? values : Values{0};
  while (static_cast<int>(all.size()) < count) all.push_back(all[0]);
  return check.formulas.compile(all, Scope::numbers);
}
inline Formula coefficients(CheckContext& check, const Values& values, const Field& field,
                            int count) {
  return spread_numbers(check, values, field, count, true);
}

}  // namespace cartan::model
