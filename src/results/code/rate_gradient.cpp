#include "results/code/rate_gradient.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/derivation.h"
#include "codegen/emit.h"
#include "codegen/rate_compiler.h"
#include "symbolic/differentiate.h"

namespace cartan::results {
namespace {

// More take too long to compile.
constexpr int most_gradient_nodes = 250000;

CodeArgument argument_named(const std::string& name, std::vector<Expression> symbols,
                            bool scalar = false) {
  CodeArgument result;
  result.name = name;
  result.symbols = std::move(symbols);
  result.scalar = scalar;
  return result;
}

}  // namespace

std::unique_ptr<CompiledRates> CompiledRates::make(const Model& model, const State& at,
                                                   const std::vector<int>& parameters,
                                                   std::string& problem) {
  std::vector<int> kept = parameters;
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  if (model.implicit) {
    problem = "its rates follow from equations";
    return nullptr;
  }
  DeriveOptions options;
  options.keep = kept;
  Derivation derivation(model, parameter_values(model), at, options);
  ExpressionGraph& graph = derivation.graph();
  auto result = std::unique_ptr<CompiledRates>(new CompiledRates);
  std::vector<Expression> x, p, w, by;
  for (const DerivedSymbol& symbol : derivation.state()) x.push_back(symbol.symbol);
  for (const DerivedSymbol& symbol : derivation.parameters()) {
    p.push_back(symbol.symbol);
    result->numbers_.push_back(symbol.symbol.sample());
  }
  result->size_ = x.size();
  by = x;
  for (const int which : parameters) {
    const Expression value = derivation.parameter_values()[which];
    result->places_.push_back(by.size());
    by.push_back(value);
    if (value.is_number()) {
      problem =
          "the parameter '" + model.parameters[which].name + "' is no symbol of the equations";
      return nullptr;
    }
  }
  const std::vector<Expression> rates = derivation.rates();
  Expression sum = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    w.push_back(graph.symbol(fmt::format("weight of {}", i), 1));
    sum += w.back() * rates[i];
  }
  const std::vector<Expression> slopes = gradient(graph, sum, by);
  if (static_cast<int>(graph.size()) > most_gradient_nodes) {
    problem = "the equations are too long to be compiled";
    return nullptr;
  }
  if (p.empty()) {  // an array has an entry
    p.push_back(graph.symbol("no number", 0));
    result->numbers_.push_back(0);
  }
  CodeUnit unit;
  unit.name = "reverse";
  unit.graph = &graph;
  unit.checks = false;
  unit.arguments = {argument_named("t", {derivation.time()}, true), argument_named("x", x),
                    argument_named("p", p), argument_named("w", w)};
  for (const UserFunction& function : model.functions.list())
    if (function.code) unit.externals.push_back(function.code->declaration());
  unit.functions.push_back({"rates", "", {column("f", rates)}, std::nullopt, {}});
  unit.functions.push_back({"back", "", {column("g", slopes)}, std::nullopt, {}});
  problem = problem_of(unit);
  if (!problem.empty()) return nullptr;
  for (const GeneratedFile& file : emit(unit, Language::c)) {
    if (!file.name.ends_with(".c")) continue;
    CompileOptions compile = compile_options_for(file.text.size());
    compile.sources.assign(model.function_files.begin(), model.function_files.end());
    result->library_ = CompiledLibrary::compile(file.text, compile, problem);
  }
  if (!result->library_) return nullptr;
  result->of_rates_ = result->library_->function<Code>("reverse_rates");
  result->of_back_ = result->library_->function<Code>("reverse_back");
  result->out_.resize(by.size());
  if (result->of_rates_ && result->of_back_) return result;
  problem = "the compiled code lacks a function";
  return nullptr;
}

void CompiledRates::rates(double t, std::span<const double> x, std::span<double> xdot) {
  of_rates_(t, x.data(), numbers_.data(), nullptr, xdot.data());
}

void CompiledRates::back(double t, std::span<const double> x, std::span<const double> w,
                         std::span<double> by_x, std::span<double> by_p) {
  of_back_(t, x.data(), numbers_.data(), w.data(), out_.data());
  std::copy_n(out_.begin(), size_, by_x.begin());
  for (std::size_t k = 0; k < places_.size(); ++k) by_p[k] += out_[places_[k]];
}

}  // namespace cartan::results
