// CUDA: device functions in one header, for one thread each.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/languages/c_family.h"
#include "codegen/languages/emitters.h"

namespace cartan::codegen {
namespace {

CFlavour cuda_flavour(const std::string& unit) {
  CFlavour flavour;
  flavour.prefix = flavour.helper_prefix = unit + "_";
  flavour.function_qualifier = flavour.helper_qualifier = "__device__ inline ";
  flavour.part_qualifier = "static __device__ __noinline__ ";
  flavour.table_qualifier = "static __device__ const";
  flavour.index_qualifier = "static const";
  flavour.restrict_word = "__restrict__";
  flavour.has_sincos = true;
  return flavour;
}

std::string declare_cuda_array(const std::string& name, int size) {
  return fmt::format("    double* const {} = work;\n    work += {};\n", name, size);
}
std::string release_cuda_array(const std::string&) {
  return "";
}

}  // namespace

std::vector<GeneratedFile> emit_cuda(const UnitPlan& plan) {
  const std::string& unit = plan.names.unit();
  const CFamilyWriter writer(plan, cuda_flavour(unit));
  int work = 0;
  for (const PlannedFunction& function : plan.functions)
    for (int k = 0; k < function.outputs(); ++k) work += std::max(1, function.array(k).size());
  std::string text = c_comment(head_lines(
      plan, {fmt::format("Include: {}.cuh and call the functions from kernels.", unit),
             fmt::format("Check:   {0}_check(work), with {0}_check_work numbers, returns the "
                         "largest relative error",
                         unit),
             "Arrays must not overlap. There is no state: every thread works for itself."}));
  text +=
      "#pragma once\n\n#include <math.h>\n\n#ifndef __noinline__\n#define __noinline__\n#endif\n\n";
  for (const UnitPlan::External& external : plan.externals)
    text += "extern __device__ " + CFamilyWriter::external_prototype(external) + ";\n";
  text += "\n" + writer.helpers();
  for (const PlannedFunction& function : plan.functions) {
    if (!function.prepared.comment.empty()) text += c_comment({function.prepared.comment});
    text += writer.definition(function) + "\n";
    for (int k = 0; k < function.outputs(); ++k)
      if (function.array(k).is_sparse()) text += writer.pattern_definition(function, k) + "\n";
  }
  text += fmt::format(
      "/* {{argument, name, unit}} */\ninline const char* const {}_names[][3] = {{\n{}}};\n\n",
      unit, writer.names_table());
  for (const CodeTable& table : plan.unit.tables)
    text += fmt::format("/* {} */\ninline {} = {};\n", table.comment, writer.table_head(table),
                        writer.table_values(table));
  text += fmt::format(
      "enum {{ {0}_check_work = {1} }};\n"
      "/* The largest relative error at the sample values. */\n"
      "__device__ inline double {0}_check(double* work)\n{{\n  (void)work;\n{2}  return "
      "error;\n}}\n",
      unit, std::max(1, work), writer.check_statements(declare_cuda_array, release_cuda_array));
  return {{unit + ".cuh", std::move(text)}};
}

}  // namespace cartan::codegen
