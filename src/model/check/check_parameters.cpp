// Parameters and definitions: expressions that use each other.
#include <cmath>
#include <limits>
#include <set>

#include "model/check/check_context.h"
#include "model/dependencies.h"

namespace cartan {
namespace {

std::string chain_text(const std::vector<int>& cycle, const std::vector<NamedValue>& list) {
  std::string text;
  for (int i : cycle) text += list[i].name + " -> ";
  return text + list[cycle[0]].name;
}

// Complains about circles and answers which entries are in one or depend on one.
std::vector<bool> check_cycles(const DependencyOrder& order,
                               const std::vector<std::vector<int>>& uses,
                               const std::vector<NamedValue>& list, const char* kind,
                               Diagnostics& problems) {
  std::vector<bool> broken(list.size(), false);
  for (const std::vector<int>& cycle : order.cycles) {
    problems.error(list[cycle[0]].where, std::string(kind) + " '" + list[cycle[0]].name +
                                             "' depends on itself (" + chain_text(cycle, list) +
                                             "); expected no circle");
    for (int i : cycle) broken[i] = true;
  }
  for (int i : order.order)
    for (int used : uses[i])
      if (broken[used]) broken[i] = true;
  return broken;
}

// The list as it counts: overrides in place.
std::vector<NamedValue> with_overrides(CheckContext& check, const Overrides& overrides) {
  std::vector<NamedValue> list = check.text.parameters;
  for (const auto& [name, value] : overrides) {
    const int index = check.names.find_parameter(name);
    if (index >= 0) {
      list[index].value = value;
    } else {
      check.problems.error({}, "cannot set '" + name + "', which is not in [parameters]" +
                                   check.suggest(name, check.names.parameter_names()));
    }
  }
  return list;
}

// The place of a finding about parameter i: an override has none in the file.
Location place_of(const NamedValue& parameter) {
  return parameter.value.where.line > 0 ? parameter.value.where : parameter.where;
}

}  // namespace

void check_parameters(CheckContext& check, const Overrides& overrides) {
  const std::vector<NamedValue> list = with_overrides(check, overrides);
  const int count = static_cast<int>(list.size());
  check.parameters.assign(count, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::vector<int>> uses(count);
  std::vector<bool> parsed(count);
  for (int i = 0; i < count; ++i) {
    const Syntax tree = check.formulas.parse(list[i].value);
    parsed[i] = tree != nullptr;
    if (!tree) check.names.break_parameter(i);
    for (const std::string& name : names_in(tree))
      if (const int used = check.names.find_parameter(name); used >= 0) uses[i].push_back(used);
  }
  const DependencyOrder order = order_by_dependencies(uses);
  const std::vector<bool> broken = check_cycles(order, uses, list, "parameter", check.problems);
  for (int i = 0; i < count; ++i)
    if (broken[i]) check.names.break_parameter(i);
  check.model.parameters.resize(count);
  for (int i : order.order) {
    Formula value;
    if (parsed[i] && !broken[i]) value = check.formulas.compile(list[i].value, Scope::numbers);
    if (value.given()) {
      check.parameters[i] = evaluate<double>(value, check.parameters)[0];
      if (!std::isfinite(check.parameters[i]))
        check.problems.error(place_of(list[i]),
                             "parameter '" + list[i].name + "' must be finite, got " +
                                 text_of(check.parameters[i]) + " from '" + value.texts[0] + "'");
    }
    if (!std::isfinite(check.parameters[i])) check.names.break_parameter(i);
    check.model.parameters[i] = {list[i].name, std::move(value), list[i].where};
  }
  check.model.parameter_order = order.order;
}

void check_definitions(CheckContext& check) {
  const std::vector<NamedValue>& list = check.text.definitions;
  const int count = static_cast<int>(list.size());
  for (const NamedValue& definition : list) {
    Syntax tree = check.formulas.parse(definition.value);
    check.names.add_definition(definition.name, tree);
    check.model.definitions.push_back({definition.name, text_of(definition.value)});
  }
  std::vector<std::vector<int>> uses(count);
  for (int i = 0; i < count; ++i)
    for (const std::string& name : names_in(check.names.definition(i).tree))
      if (const int used = check.names.find_definition(name); used >= 0) uses[i].push_back(used);
  const DependencyOrder order = order_by_dependencies(uses);
  const std::vector<bool> broken = check_cycles(order, uses, list, "definition", check.problems);
  for (int i = 0; i < count; ++i) {
    Names::DefinitionEntry& entry = check.names.definition(i);
    entry.broken =
        broken[i] || !entry.tree || !check.formulas.check_definition(list[i].value, entry.tree);
  }
  check.names.trace_definitions(order.order);
}

}  // namespace cartan
