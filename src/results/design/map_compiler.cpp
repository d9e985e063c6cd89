#include "results/design/map_compiler.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/emit.h"
#include "codegen/rate_compiler.h"
#include "core/compiled_library.h"
#include "symbolic/differentiate.h"

namespace cartan::results {

// Second derivatives of more nodes than this take too long to compile.
constexpr int most_nodes = 250000;

class MapCompiler::CompiledMap final : public SmoothMap {
 public:
  using Code = void(const double*, const double*, const double*, double*);
  std::shared_ptr<const CompiledLibrary> library;
  Code *of_value = nullptr, *of_slopes = nullptr, *of_curvatures = nullptr;

  void value(const double* z, const double* a, double* f) const override {
    of_value(z, a, nullptr, f);
  }
  void fill_slopes(const double* z, const double* a, double* entries) const override {
    if (of_slopes) of_slopes(z, a, nullptr, entries);
  }
  void fill_curvatures(const double* z, const double* a, const double* weights,
                       double* entries) const override {
    if (of_curvatures) of_curvatures(z, a, weights, entries);
  }
};

namespace {

CodeMatrix sparse_matrix(const std::string& name, const SparseJacobian& jacobian) {
  CodeMatrix matrix;
  matrix.name = name;
  matrix.rows = jacobian.rows;
  matrix.columns = jacobian.columns;
  matrix.row = jacobian.row;
  matrix.column = jacobian.column;
  matrix.entries = jacobian.entries;
  return matrix;
}

SparseJacobian below_diagonal(const SparseJacobian& full) {
  SparseJacobian result;
  result.rows = full.rows;
  result.columns = full.columns;
  for (std::size_t e = 0; e < full.entries.size(); ++e) {
    if (full.column[e] > full.row[e]) continue;
    result.row.push_back(full.row[e]);
    result.column.push_back(full.column[e]);
    result.entries.push_back(full.entries[e]);
  }
  return result;
}

// Second derivatives of weights . f.
SparseJacobian curvatures_of(ExpressionGraph& graph, const Expressions& f, const Expressions& z,
                             const Expressions& weights) {
  Expression sum = 0;
  for (std::size_t k = 0; k < f.size(); ++k) sum += weights[k] * f[k];
  SparseJacobian none;
  none.rows = none.columns = static_cast<int>(z.size());
  if (sum.is_number()) return none;
  const Expressions g = gradient(graph, sum, z);
  return below_diagonal(jacobian(graph, g, z));
}

void add_argument(CodeUnit& unit, const std::string& name, const Expressions& symbols) {
  CodeArgument argument;
  argument.name = name;
  argument.symbols = symbols;
  unit.arguments.push_back(std::move(argument));
}
void add_function(CodeUnit& unit, const std::string& name, std::vector<CodeMatrix> outputs) {
  unit.functions.push_back({name, "", std::move(outputs), std::nullopt, {}});
}

}  // namespace

std::unique_ptr<SmoothMap> MapCompiler::make(const std::string& name, const Expressions& z,
                                             const Expressions& f, std::string& problem) {
  auto map = std::make_unique<CompiledMap>();
  map->inputs = static_cast<int>(z.size());
  map->outputs = static_cast<int>(f.size());
  CodeUnit unit;
  unit.name = name;
  unit.graph = &graph_;
  unit.checks = false;
  Expressions weights;
  for (std::size_t k = 0; k < std::max<std::size_t>(1, f.size()); ++k)
    weights.push_back(graph_.symbol(fmt::format("weight of {}", k), 1));
  add_argument(unit, "z", z);
  add_argument(unit, "a", numbers_);
  add_argument(unit, "w", weights);
  for (const UserFunction& function : model_.functions.list())
    if (function.code) unit.externals.push_back(function.code->declaration());
  add_function(unit, "value", {column("f", f)});
  const SparseJacobian slopes = jacobian(graph_, f, z);
  map->slopes = {slopes.row, slopes.column};
  if (!slopes.entries.empty()) add_function(unit, "slopes", {sparse_matrix("J", slopes)});
  const std::size_t plain = unit.functions.size();
  if (without_curvature_.empty()) {
    const SparseJacobian second = curvatures_of(graph_, f, z, weights);
    map->curvatures = {second.row, second.column};
    if (!second.entries.empty()) add_function(unit, "curvatures", {sparse_matrix("H", second)});
    if (graph_.size() > most_nodes)
      without_curvature_ = "the equations are too long for second derivatives";
  }
  if (without_curvature_.empty() && load(unit, *map, problem)) return map;
  const std::string why = problem;
  problem.clear();
  unit.functions.resize(plain);
  map->curvatures = {};
  map->has_curvatures = false;
  if (!load(unit, *map, problem)) return nullptr;
  if (without_curvature_.empty()) without_curvature_ = why;
  return map;
}

bool MapCompiler::load(const CodeUnit& unit, CompiledMap& map, std::string& problem) {
  problem = problem_of(unit);
  if (!problem.empty()) return false;
  for (const GeneratedFile& file : emit(unit, Language::c)) {
    if (!file.name.ends_with(".c")) continue;
    CompileOptions options = compile_options_for(file.text.size());
    options.sources.assign(model_.function_files.begin(), model_.function_files.end());
    map.library = CompiledLibrary::compile(file.text, options, problem);
  }
  if (!map.library) return false;
  const auto find = [&](const char* function) {
    return map.library->function<CompiledMap::Code>(unit.name + "_" + function);
  };
  map.of_value = find("value");
  map.of_slopes = find("slopes");
  map.of_curvatures = find("curvatures");
  if (!map.of_value) problem = "the compiled code lacks a function";
  return map.of_value != nullptr;
}

}  // namespace cartan::results
