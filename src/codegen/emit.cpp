#include "codegen/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/languages/emitters.h"
#include "symbolic/operations.h"

namespace cartan::codegen {

std::vector<GeneratedFile> emit(const CodeUnit& unit, Language language) {
  if (language == Language::latex) return emit_latex(unit);
  const UnitPlan plan(unit, language == Language::c || language == Language::cpp,
                      language == Language::c);
  switch (language) {
    case Language::c:
      return emit_c(plan);
    case Language::cpp:
      return emit_cpp(plan);
    case Language::python:
      return emit_python(plan);
    case Language::octave:
      return emit_octave(plan);
    case Language::cuda:
      return emit_cuda(plan);
    case Language::latex:
      break;
  }
  return {};
}

bool has_vectors(const std::string& c_code) {
  return c_code.find("__vector") != std::string::npos;
}

bool has_parts(const std::string& c_code) {
  return c_code.find("\nPART ") != std::string::npos;
}

std::vector<std::string> first_files(const std::string& unit, Language language) {
  const std::string name = identifier(unit);
  switch (language) {
    case Language::c:
      return {name + ".c", name + ".h"};
    case Language::cpp:
      return {name + ".hpp"};
    case Language::python:
      return {name + ".py"};
    case Language::octave:
      return {name + "_check.m", name + "_names.m"};
    case Language::cuda:
      return {name + ".cuh"};
    case Language::latex:
      return {name + ".tex"};
  }
  return {};
}

std::optional<Language> language_named(const std::string& name) {
  if (name == "c") return Language::c;
  if (name == "c++" || name == "cpp") return Language::cpp;
  if (name == "python") return Language::python;
  if (name == "octave" || name == "matlab") return Language::octave;
  if (name == "cuda") return Language::cuda;
  if (name == "latex") return Language::latex;
  return {};
}

namespace {

std::vector<const LinearSolve*> systems_of(const CodeFunction& function) {
  std::vector<const LinearSolve*> all;
  for (const LinearSolve& solve : function.inner) all.push_back(&solve);
  if (function.solve) all.push_back(&*function.solve);
  return all;
}

std::string shape_problem(const CodeFunction& function) {
  for (const CodeMatrix& output : function.outputs) {
    const std::size_t full = static_cast<std::size_t>(output.rows) * output.columns;
    const std::size_t entries = output.entries.size();
    if (output.row.size() != output.column.size() ||
        (output.is_sparse() ? output.row.size() : full) != entries)
      return fmt::format(
          "output '{}' of function '{}' has {} entries, but its size is {} x {}; give all of them "
          "row by row, or the row and the column of each",
          output.name, function.name, entries, output.rows, output.columns);
    for (std::size_t k = 0; k < output.row.size(); ++k)
      if (output.row[k] < 0 || output.row[k] >= output.rows || output.column[k] < 0 ||
          output.column[k] >= output.columns)
        return fmt::format("output '{}' of function '{}': entry {} stands outside of {} x {}",
                           output.name, function.name, k, output.rows, output.columns);
  }
  for (const LinearSolve* solve : systems_of(function)) {
    const std::size_t n = solve->size;
    if (solve->size < 0 || solve->matrix.size() != n * n || (n > 0 && solve->rhs.size() % n != 0))
      return fmt::format("the linear system of function '{}' is not of size {} x {}", function.name,
                         n, n);
  }
  return "";
}

void collect_nodes(const CodeUnit& unit, std::vector<char>& needed) {
  auto mark = [&](const Expression& x) {
    if (!x.is_number()) needed[x.node()] = 1;
  };
  for (const CodeFunction& function : unit.functions) {
    for (const CodeMatrix& output : function.outputs)
      for (const Expression& entry : output.entries) mark(entry);
    for (const LinearSolve* solve : systems_of(function)) {
      for (const Expression& entry : solve->matrix) mark(entry);
      for (const Expression& entry : solve->rhs) mark(entry);
    }
  }
}

}  // namespace

std::string problem_of(const CodeUnit& unit) {
  std::set<std::string> names;
  for (const CodeFunction& function : unit.functions) {
    if (!names.insert(function_identifier(function.name)).second)
      return fmt::format("two functions are named '{}'; give each a name of its own",
                         function.name);
    if (std::string problem = shape_problem(function); !problem.empty()) return problem;
  }
  for (const ExternalFunction& external : unit.externals)
    if (identifier(external.name) != external.name)
      return fmt::format(
          "the function '{}' has a name that is reserved in generated code; rename it",
          external.name);
  const UnitNames places(unit);
  const ExpressionGraph& graph = *unit.graph;
  for (const CodeArgument& argument : unit.arguments)
    if (argument.scalar && argument.symbols.size() != 1)
      return fmt::format("argument '{}' is a scalar and has {} symbols; it must have one",
                         argument.name, argument.symbols.size());
  std::set<int> unknowns;
  for (const CodeFunction& function : unit.functions)
    for (const LinearSolve& solve : function.inner)
      for (const Expression& unknown : solve.unknowns) unknowns.insert(unknown.node());
  std::vector<char> needed(graph.size(), 0);
  collect_nodes(unit, needed);
  for (int i = graph.size() - 1; i >= 0; --i) {
    if (!needed[i]) continue;
    const Instruction& x = graph.node(i);
    if (x.op == Op::input && places.place(x.a).argument < 0 && !unknowns.count(i))
      return fmt::format("'{}' appears in the equations and is no argument of the code",
                         graph.symbol_name(x.a));
    if (x.op == Op::call)
      for (const int k : graph.arguments(x.b)) needed[k] = 1;
    else
      for_each_operand(x, [&](int k) { needed[k] = 1; });
  }
  return "";
}

}  // namespace cartan::codegen
