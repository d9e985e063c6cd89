// C99: one file to compile, one header to include.
#include <fmt/format.h>

#include "codegen/languages/c_family.h"
#include "codegen/languages/emitters.h"
#include "codegen/languages/twin_writer.h"

namespace cartan::codegen {
namespace {

CFlavour c_flavour(const std::string& unit) {
  CFlavour flavour;
  flavour.prefix = flavour.helper_prefix = unit + "_";
  flavour.helper_qualifier = "static ";
  flavour.part_qualifier = "PART ";
  flavour.table_qualifier = flavour.index_qualifier = "static const";
  flavour.joins_turns = true;
  return flavour;
}

std::string declare_c_array(const std::string& name, int size) {
  return fmt::format("    double* {} = malloc({} * sizeof(double));\n    if (!{}) return NAN;\n",
                     name, size, name);
}
std::string release_c_array(const std::string& name) {
  return "    free(" + name + ");\n";
}

std::vector<std::string> usage(const UnitPlan& plan) {
  const std::string& unit = plan.names.unit();
  return {fmt::format("Compile: cc -std=c99 -O2 -fno-math-errno -c {}.c    (link with -lm)", unit),
          fmt::format("Check:   {}_check() returns the largest relative error at the sample values",
                      unit),
          "Arrays must not overlap. There is no state: all functions may run in parallel."};
}

std::string header(const UnitPlan& plan) {
  const std::string& unit = plan.names.unit();
  CFlavour flavour = c_flavour(unit);
  flavour.restrict_word = "";  // C++ does not know the word
  const CFamilyWriter writer(plan, flavour);
  std::string text = c_comment(head_lines(plan, usage(plan)));
  text += fmt::format("#ifndef CARTAN_GENERATED_{0}_H\n#define CARTAN_GENERATED_{0}_H\n\n", unit);
  text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text += "enum {";
  for (int a = 0; a < plan.names.arguments(); ++a)
    text += fmt::format("{} {}_{}_size = {}", a ? "," : "", unit, plan.names.argument(a),
                        plan.argument_size(a));
  for (const PlannedFunction& function : plan.functions)
    for (int k = 0; k < function.outputs(); ++k)
      text += fmt::format(",\n  {}_{}_{}_size = {}", unit, function.name, function.array_names[k],
                          function.array(k).size());
  if (plan.names.arguments() == 0) text += fmt::format(" {}_arguments = 0", unit);
  text += " };\n\n";
  for (const PlannedFunction& function : plan.functions) {
    text += writer.head(function) + ";\n";
    for (int k = 0; k < function.outputs(); ++k)
      if (function.array(k).is_sparse()) text += writer.pattern_head(function, k) + ";\n";
  }
  text += fmt::format(
      "double {0}_check(void);\n/* {{argument, name, unit}}, {{0, 0, 0}} at the end */\n"
      "extern const char* const {0}_names[][3];\n",
      unit);
  for (const CodeTable& table : plan.unit.tables)
    text += fmt::format("/* {} */\nextern {};\n", table.comment, writer.table_head(table));
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace

std::vector<GeneratedFile> emit_c(const UnitPlan& plan) {
  const std::string& unit = plan.names.unit();
  const CFamilyWriter writer(plan, c_flavour(unit));
  std::string bodies;
  for (const PlannedFunction& function : plan.functions) {
    if (!function.prepared.comment.empty()) bodies += c_comment({function.prepared.comment});
    bodies += writer.definition(function) + "\n";
    for (int k = 0; k < function.outputs(); ++k)
      if (function.array(k).is_sparse()) bodies += writer.pattern_definition(function, k) + "\n";
  }
  std::string text = c_comment(head_lines(plan, usage(plan)));
  text += "#include <math.h>\n#include <stdlib.h>\n\n";
  if (bodies.find("\nPART ") != std::string::npos || bodies.compare(0, 5, "PART ") == 0)
    text +=
        "/* Parts of long functions, which the compiler must not join again. */\n"
        "#ifdef __GNUC__\n#define PART __attribute__((noinline)) static\n#else\n"
        "#define PART static\n#endif\n\n";
  for (const int width : plan.vector_widths())
    text += TwinWriter::declare_type(fmt::format("{}__vector{}", unit, width), width);
  for (const UnitPlan::External& external : plan.externals)
    text += "extern " + CFamilyWriter::external_prototype(external) + ";\n";
  if (!plan.externals.empty()) text += "\n";
  for (const PlannedFunction& function : plan.functions) {
    text += writer.head(function) + ";\n";
    for (int k = 0; k < function.outputs(); ++k)
      if (function.array(k).is_sparse()) text += writer.pattern_head(function, k) + ";\n";
  }
  text +=
      fmt::format("double {0}_check(void);\nextern const char* const {0}_names[][3];\n\n", unit);
  text += writer.helpers() + bodies;
  if (!plan.unit.checks) return {{unit + ".c", std::move(text)}};
  text +=
      fmt::format("/* {{argument, name, unit}} */\nconst char* const {}_names[][3] = {{\n{}}};\n\n",
                  unit, writer.names_table());
  for (const CodeTable& table : plan.unit.tables)
    text += fmt::format("/* {0} */\nextern {1};\n{1} = {2};\n", table.comment,
                        writer.table_head(table), writer.table_values(table));
  text += "\n/* The largest relative error at the sample values. */\n";
  text += fmt::format("double {}_check(void)\n{{\n{}  return error;\n}}\n", unit,
                      writer.check_statements(declare_c_array, release_c_array));
  return {{unit + ".c", std::move(text)}, {unit + ".h", header(plan)}};
}

}  // namespace cartan::codegen
