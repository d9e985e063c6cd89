// [functions] and `equations`.
#include "io/toml_section.h"
#include "io/toml_sections.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

const std::vector<KeyRule> function_keys = {
    {"arguments"}, {"value"}, {"source"}, {"library"}, {"derivatives"}};

void read_arguments(const TomlSection& section, FunctionText& function) {
  const TomlNode* node = section.find("arguments");
  if (!node)
    return section.problems().error(section.where(),
                                    "missing key 'arguments': the names of what the function is "
                                    "given, as in arguments = [\"x\"]");
  function.arguments_where = node->where;
  const char* expected = "a list of names, as in [\"x\", \"k\"]";
  if (!expect(*node, Kind::array, expected, section.problems())) return;
  if (node->items.empty())
    return section.problems().error(node->where,
                                    std::string("expected ") + expected + ", got an empty list");
  for (const TomlNode& item : node->items) {
    if (!expect(item, Kind::text, "a name in quotes", section.problems())) {
      function.arguments.clear();
      return;
    }
    function.arguments.emplace_back(item.text);
    function.arguments.back().where = item.where;
  }
}

void read_derivatives(const TomlSection& section, FunctionText& function) {
  const TomlNode* node = section.find("derivatives");
  if (!node || !expect(*node, Kind::table, "a table as in { x = \"slope\" }", section.problems()))
    return;
  for (const TomlEntry& entry : node->entries) {
    FunctionText::Derivative derivative{entry.key, {}};
    derivative.name.where = entry.value.where;
    if (expect(entry.value, Kind::text, "the name of a function in quotes", section.problems()))
      derivative.name.name = entry.value.text;
    function.derivatives.push_back(std::move(derivative));
  }
}

}  // namespace

std::vector<FunctionText> read_functions(const TomlNode& table, Diagnostics& problems) {
  std::vector<FunctionText> result;
  for (const TomlEntry& entry : table.entries) {
    FunctionText function;
    function.name = entry.key;
    function.where = entry.where;
    if (expect(entry.value, Kind::table, "{ arguments = [\"x\"], value = \"expression\" }",
               problems)) {
      const TomlSection section(entry.value, problems);
      read_arguments(section, function);
      section.read("value", function.value);
      section.read("source", function.source);
      section.read("library", function.library);
      read_derivatives(section, function);
      section.finish(function_keys);
    }
    result.push_back(std::move(function));
  }
  return result;
}

Values read_equations(const TomlNode& list, Diagnostics& problems) {
  Values equations;
  const char* expected = "a list of equations in quotes, as in [\"2*x' = y\"]";
  if (expect(list, Kind::array, expected, problems)) {
    if (list.items.empty())
      problems.error(list.where, std::string("expected ") + expected + ", got an empty one");
    for (const TomlNode& item : list.items)
      if (expect(item, Kind::text, "an equation in quotes, as in \"2*x' = y\"", problems))
        equations.push_back(read_value(item, problems));
    if (equations.size() != list.items.size()) equations.clear();
  }
  equations.where = list.where;
  return equations;
}

}  // namespace cartan::io
