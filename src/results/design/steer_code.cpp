#include "results/design/steer_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/derivation.h"
#include "codegen/emit.h"
#include "codegen/rate_compiler.h"
#include "core/compiled_library.h"
#include "lie/quaternion.h"
#include "symbolic/differentiate.h"
#include "symbolic/substitute.h"

namespace cartan::results {
namespace {

using Expressions = std::vector<Expression>;

// Second derivatives of more nodes than this take too long to compile.
constexpr int most_nodes = 250000;

class CompiledMap final : public SmoothMap {
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

class MapCompiler {
 public:
  MapCompiler(const Model& model, ExpressionGraph& graph, Expressions numbers, SteerMaps& maps)
      : model_(model), graph_(graph), numbers_(std::move(numbers)), maps_(maps) {}

  // Null with a sentence where the functions need what is no argument of theirs.
  std::unique_ptr<SmoothMap> make(const std::string& name, const Expressions& z,
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
    if (maps_.without_curvature.empty()) {
      const SparseJacobian second = curvatures_of(graph_, f, z, weights);
      map->curvatures = {second.row, second.column};
      if (!second.entries.empty()) add_function(unit, "curvatures", {sparse_matrix("H", second)});
      if (graph_.size() > most_nodes)
        maps_.without_curvature = "the equations are too long for second derivatives";
    }
    if (maps_.without_curvature.empty() && load(unit, *map, problem)) return map;
    const std::string why = problem;
    problem.clear();
    unit.functions.resize(plain);
    map->curvatures = {};
    map->has_curvatures = false;
    if (!load(unit, *map, problem)) return nullptr;
    if (maps_.without_curvature.empty()) maps_.without_curvature = why;
    return map;
  }

 private:
  static void add_argument(CodeUnit& unit, const std::string& name, const Expressions& symbols) {
    CodeArgument argument;
    argument.name = name;
    argument.symbols = symbols;
    unit.arguments.push_back(std::move(argument));
  }
  static void add_function(CodeUnit& unit, const std::string& name,
                           std::vector<CodeMatrix> outputs) {
    unit.functions.push_back({name, "", std::move(outputs), std::nullopt, {}});
  }

  bool load(const CodeUnit& unit, CompiledMap& map, std::string& problem) {
    problem = problem_of(unit);
    if (!problem.empty()) return false;
    for (const GeneratedFile& file : emit(unit, Language::c)) {
      if (!file.name.ends_with(".c")) continue;
      CompileOptions options = compile_options_for(file.text.size());
      options.sources.assign(model_.function_files.begin(), model_.function_files.end());
      map.library = CompiledLibrary::compile(file.text, options, problem);
    }
    if (!map.library) return false;
    if (!map.library->was_cached()) maps_.slow = "compiled";
    const auto find = [&](const char* function) {
      return map.library->function<CompiledMap::Code>(unit.name + "_" + function);
    };
    map.of_value = find("value");
    map.of_slopes = find("slopes");
    map.of_curvatures = find("curvatures");
    if (!map.of_value) problem = "the compiled code lacks a function";
    return map.of_value != nullptr;
  }

  const Model& model_;
  ExpressionGraph& graph_;
  Expressions numbers_;
  SteerMaps& maps_;
};

Quat<Expression> quaternion_of(const Expressions& list, int first) {
  return {list[first], list[first + 1], list[first + 2], list[first + 3]};
}

// The state in local coordinates.
struct ChartedState {
  Expressions x;      // embedded symbols of the derivation
  Expressions point;  // the same as functions of y
  Expressions y, base, other;
};

ChartedState chart_state(ExpressionGraph& graph, const Expressions& x, const State& at,
                         const StateCharts& charts) {
  ChartedState c;
  c.x = c.point = x;
  c.y.resize(charts.coordinates());
  for (int i = 0; i < charts.size(); ++i)
    if (!charts.in_quaternion(i)) c.y[charts.coordinate_of(i)] = x[i];
  int number = 0;
  for (const int first : charts.quaternions()) {
    for (int k = 0; k < 4; ++k) {
      c.base.push_back(graph.symbol(fmt::format("base {}", number), at.x[first + k]));
      c.other.push_back(graph.symbol(fmt::format("other base {}", number++), at.x[first + k]));
    }
    for (int k = 0; k < 3; ++k)
      c.y[charts.coordinate_of(first) + k] = graph.symbol(fmt::format("turn {} {}", first, k), 0);
    const Expression* r = &c.y[charts.coordinate_of(first)];
    const Quat<Expression> turn(1, Expression(0.5) * r[0], Expression(0.5) * r[1],
                                Expression(0.5) * r[2]);
    const Expression length =
        sqrt(Expression(1) + Expression(0.25) * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]));
    const Quat<Expression> u = (Expression(1) / length) *
                               (quaternion_of(c.base, static_cast<int>(c.base.size()) - 4) * turn);
    c.point[first] = u.w, c.point[first + 1] = u.x;
    c.point[first + 2] = u.y, c.point[first + 3] = u.z;
  }
  return c;
}

// y' from x', and y around the other base.
Expressions coordinate_rates_of(const ChartedState& c, const StateCharts& charts,
                                const Expressions& rates) {
  Expressions result(charts.coordinates());
  for (int i = 0; i < charts.size(); ++i)
    if (!charts.in_quaternion(i)) result[charts.coordinate_of(i)] = rates[i];
  for (std::size_t k = 0; k < charts.quaternions().size(); ++k) {
    const int first = charts.quaternions()[k], at = charts.coordinate_of(first);
    const Quat<Expression> p =
        conjugate(quaternion_of(c.base, static_cast<int>(4 * k))) * quaternion_of(rates, first);
    const Expression* r = &c.y[at];
    const Expression length =
        sqrt(Expression(1) + Expression(0.25) * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]));
    result[at] = length * (Expression(2) * p.x - r[0] * p.w);
    result[at + 1] = length * (Expression(2) * p.y - r[1] * p.w);
    result[at + 2] = length * (Expression(2) * p.z - r[2] * p.w);
  }
  return result;
}

Expressions around_other(const ChartedState& c, const StateCharts& charts) {
  Expressions result = c.y;
  for (std::size_t k = 0; k < charts.quaternions().size(); ++k) {
    const int at = charts.coordinate_of(charts.quaternions()[k]), first = static_cast<int>(4 * k);
    const Expression* r = &c.y[at];
    const Quat<Expression> turn(1, Expression(0.5) * r[0], Expression(0.5) * r[1],
                                Expression(0.5) * r[2]);
    const Quat<Expression> p =
        conjugate(quaternion_of(c.other, first)) * (quaternion_of(c.base, first) * turn);
    const Expression factor = Expression(2) / p.w;
    result[at] = factor * p.x, result[at + 1] = factor * p.y, result[at + 2] = factor * p.z;
  }
  return result;
}

}  // namespace

std::string make_steer_maps(const Model& model, const System& system, const State& at,
                            const StateCharts& charts, const std::vector<std::string>& inputs,
                            const SteerOutputs& outputs, const std::vector<int>& closure_rows,
                            SteerMaps& maps) {
  (void)system;
  Derivation derivation(model, parameter_values(model), at);
  ExpressionGraph& graph = derivation.graph();
  Expressions x = derivation.q();
  const Expressions v = derivation.v();
  x.insert(x.end(), v.begin(), v.end());
  for (std::size_t k = x.size(); k < derivation.state().size(); ++k)
    x.push_back(derivation.state()[k].symbol);
  const ChartedState c = chart_state(graph, x, at, charts);
  const auto charted = [&](const Expressions& list) {
    return charts.quaternions().empty() ? list : substitute(graph, list, c.x, c.point);
  };

  Expressions u(inputs.size()), numbers = c.base;
  for (const DerivedSymbol& parameter : derivation.parameters()) {
    const auto found = std::find(inputs.begin(), inputs.end(), parameter.name);
    if (found != inputs.end()) {
      u[found - inputs.begin()] = parameter.symbol;
    } else {
      numbers.push_back(parameter.symbol);
      maps.numbers.push_back(parameter.symbol.sample());
    }
  }
  if (numbers.empty()) {
    numbers.push_back(graph.symbol("no number", 0));
    maps.numbers.push_back(0);
  }
  Expressions expressions;
  if (outputs.count() > 0) expressions = derivation.outputs();
  if (static_cast<int>(expressions.size()) != outputs.count())
    return "reactions and multipliers cannot be part of costs and conditions";
  int next = 0;
  const auto take = [&](int count) {
    Expressions list(expressions.begin() + next, expressions.begin() + next + count);
    next += count;
    return list;
  };
  const auto append = [](Expressions& list, const Expressions& more) {
    list.insert(list.end(), more.begin(), more.end());
  };

  std::string problem;
  MapCompiler compiler(model, graph, numbers, maps);
  Expressions rates = charted(coordinate_rates_of(c, charts, derivation.rates()));
  append(rates, outputs.integral ? charted(take(1)) : Expressions{0});
  append(rates, charted(take(outputs.paths)));
  Expressions z = c.y;
  append(z, u);
  z.push_back(derivation.time());
  maps.stage = compiler.make("stage", z, rates, problem);
  if (!maps.stage) return problem;

  Expressions at_end = charted(take(outputs.ends));
  append(at_end, outputs.final ? charted(take(1)) : Expressions{0});
  Expressions yt = c.y;
  yt.push_back(derivation.time());
  const char* const no_input =
      "a condition at an end, or the final cost, depends on an input or on accelerations, which "
      "are not defined at a single time: ";
  maps.end = compiler.make("finish", yt, at_end, problem);
  if (!maps.end) return no_input + problem;
  if (outputs.starts > 0) {
    maps.start = compiler.make("begin", yt, charted(take(outputs.starts)), problem);
    if (!maps.start) return no_input + problem;
  }
  if (!closure_rows.empty()) {
    const Expressions all = charted(derivation.constraint_values());
    Expressions rows, mu;
    Expression sum = 0;
    for (const int row : closure_rows) {
      rows.push_back(all[row]);
      mu.push_back(graph.symbol(fmt::format("multiplier {}", mu.size()), 0.1));
      sum += mu.back() * all[row];
    }
    append(rows, gradient(graph, sum, c.y));
    append(yt, mu);
    maps.closure = compiler.make("closure", yt, rows, problem);
    if (!maps.closure) return problem;
  }
  if (charts.quaternions().empty()) return "";
  Expressions bases = c.base;
  append(bases, c.other);
  maps.chart =
      MapCompiler(model, graph, bases, maps).make("chart", c.y, around_other(c, charts), problem);
  return maps.chart ? "" : problem;
}

}  // namespace cartan::results
