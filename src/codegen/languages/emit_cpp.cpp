// C++20: one header, everything inline in a namespace; arrays are spans of known length.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/languages/c_family.h"
#include "codegen/languages/emitters.h"

namespace cartan::codegen {
namespace {

CFlavour cpp_flavour() {
  CFlavour flavour;
  flavour.helper_prefix = "detail::";
  flavour.function_qualifier = flavour.helper_qualifier = "inline ";
  flavour.part_qualifier = "[[gnu::noinline]] inline ";
  flavour.table_qualifier = "inline const";
  flavour.index_qualifier = "static const";
  flavour.joins_turns = true;
  flavour.restrict_word = "__restrict";
  return flavour;
}

std::string declare_cpp_array(const std::string& name, int size) {
  return fmt::format("    std::vector<double> {0}_({1});\n    double* const {0} = {0}_.data();\n",
                     name, size);
}
std::string release_cpp_array(const std::string&) {
  return "";
}

// The function users call: spans in, the function of `detail` behind it.
std::string wrapper(const UnitPlan& plan, const PlannedFunction& function) {
  std::vector<std::string> parameters, arguments;
  for (int a = 0; a < plan.names.arguments(); ++a) {
    const std::string& name = plan.names.argument(a);
    const bool scalar = plan.unit.arguments[a].scalar;
    parameters.push_back(
        scalar ? "double " + name
               : fmt::format("std::span<const double, {}> {}", plan.argument_size(a), name));
    arguments.push_back(scalar ? name : name + ".data()");
  }
  for (int k = 0; k < function.outputs(); ++k) {
    const std::string& name = function.array_names[k];
    parameters.push_back(fmt::format("std::span<double, {}> {}", function.array(k).size(), name));
    arguments.push_back(name + ".data()");
  }
  return fmt::format("inline void {0}({1})\n{{\n  detail::{0}({2});\n}}\n\n", function.name,
                     joined(parameters, ", "), joined(arguments, ", "));
}

}  // namespace

std::vector<GeneratedFile> emit_cpp(const UnitPlan& plan) {
  const std::string& unit = plan.names.unit();
  const CFamilyWriter writer(plan, cpp_flavour());
  std::string text = c_comment(head_lines(
      plan,
      {fmt::format("Include: {}.hpp    (C++20, nothing to link)", unit),
       fmt::format("Check:   {}::check() returns the largest relative error at the sample values",
                   unit),
       "Spans must not overlap. There is no state: all functions may run in parallel."}));
  text += "#pragma once\n\n#include <cmath>\n#include <span>\n#include <vector>\n\n";
  for (const UnitPlan::External& external : plan.externals)
    text += "extern \"C\" " + CFamilyWriter::external_prototype(external) + ";\n";
  text += fmt::format("\nnamespace {} {{\nnamespace detail {{\n\n", unit);
  for (const char* name : {"pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
                           "cosh", "tanh", "exp", "log", "sqrt", "fabs"})
    text += fmt::format("using std::{};\n", name);
  text += "\n" + writer.helpers();
  for (const PlannedFunction& function : plan.functions) text += writer.definition(function) + "\n";
  text += fmt::format("inline double check()\n{{\n{}  return error;\n}}\n\n",
                      writer.check_statements(declare_cpp_array, release_cpp_array));
  text += "}  // namespace detail\n\n";
  for (const PlannedFunction& function : plan.functions) {
    if (!function.prepared.comment.empty()) text += c_comment({function.prepared.comment});
    text += wrapper(plan, function);
    for (int k = 0; k < function.outputs(); ++k)
      if (function.array(k).is_sparse()) text += writer.pattern_definition(function, k) + "\n";
  }
  text += fmt::format(
      "/* {{argument, name, unit}} */\ninline const char* const names[][3] = {{\n{}}};\n\n",
      writer.names_table());
  for (const CodeTable& table : plan.unit.tables)
    text += fmt::format("/* {} */\ninline {} = {};\n", table.comment, writer.table_head(table),
                        writer.table_values(table));
  text += "/* The largest relative error at the sample values. */\n";
  text += "inline double check() { return detail::check(); }\n\n";
  text += fmt::format("}}  // namespace {}\n", unit);
  return {{unit + ".hpp", std::move(text)}};
}

}  // namespace cartan::codegen
