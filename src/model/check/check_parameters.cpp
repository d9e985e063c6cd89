// Parameters and definitions: expressions that use each other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "model/check/check_context.h"
#include "model/dependencies.h"

namespace cartan::model {
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

// What a run gives to an input, as a number or a function of time.
const NamedValue* find_given(const ModelDescription& text, const std::string& input) {
  for (const NamedValue& signal : text.signals)
    if (signal.name == input) return &signal;
  return nullptr;
}

// The list as it counts: overrides in place, then the inputs that are numbers.
std::vector<NamedValue> with_overrides(CheckContext& check, const Overrides& overrides) {
  std::vector<NamedValue> list = check.text.parameters;
  const int parameters = static_cast<int>(list.size());
  for (const NamedValue& input : check.text.inputs) {
    if (find_signal(check.text, input.name)) continue;
    list.push_back(input);
    if (const NamedValue* given = find_given(check.text, input.name))
      list.back().value = given->value;
  }
  for (const auto& [name, value] : overrides) {
    const std::string& wanted = name;
    const int index = check.names.find_parameter(name);
    const bool input =
        std::any_of(check.text.inputs.begin(), check.text.inputs.end(),
                    [&wanted](const NamedValue& item) { return item.name == wanted; });
    if (input) {
      check.problems.error(
          {}, "cannot set '" + name +
                  "', which is an input and no parameter; give it its value as an input");
    } else if (index >= 0 && index < parameters) {
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

void complain_about_strange_signals(CheckContext& check) {
  std::vector<std::string> known;
  for (const NamedValue& input : check.text.inputs) known.push_back(input.name);
  for (const NamedValue& signal : check.text.signals)
    if (std::find(known.begin(), known.end(), signal.name) == known.end())
      check.problems.error({}, "'" + signal.name + "' is not in [inputs]" +
                                   (known.empty() ? ": this model has no inputs"
                                                  : check.suggest(signal.name, known)));
}

void list_inputs(CheckContext& check) {
  for (const NamedValue& input : check.text.inputs) {
    const NamedValue* given = find_given(check.text, input.name);
    const int parameter =
        find_signal(check.text, input.name) ? -1 : check.names.find_parameter(input.name);
    check.model.inputs.push_back(
        {input.name, parameter, text_of(given ? given->value : input.value)});
  }
}

}  // namespace

const NamedValue* find_signal(const ModelDescription& text, const std::string& input) {
  const NamedValue* given = find_given(text, input);
  if (!given || !given->value.is_expression()) return nullptr;
  ExpressionError error;
  const Syntax tree = parse_expression(given->value.text, error, nullptr);
  if (!tree) return given;  // the check of definitions says what is wrong, or knows a function
  const std::vector<std::string> names = names_in(tree);
  return std::find(names.begin(), names.end(), "t") != names.end() ? given : nullptr;
}

void check_parameters(CheckContext& check, const Overrides& overrides) {
  complain_about_strange_signals(check);
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
  list_inputs(check);
}

// Inputs that are functions of time, and chosen speeds, are definitions behind those of the file.
void check_definitions(CheckContext& check) {
  std::vector<NamedValue> list = check.text.definitions;
  for (const NamedValue& input : check.text.inputs)
    if (const NamedValue* signal = find_signal(check.text, input.name)) list.push_back(*signal);
  list.insert(list.end(), check.text.speeds.begin(), check.text.speeds.end());
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
  for (const NamedValue& input : check.text.inputs)
    if (const NamedValue* signal = find_signal(check.text, input.name))
      check.formulas.compile(signal->value, Scope::time);
}

}  // namespace cartan::model
