#include "codegen/rate_compiler.h"

#include <map>
#include <mutex>

#include <fmt/format.h>

#include "codegen/derivation.h"
#include "codegen/emit.h"
#include "codegen/model_unit.h"

namespace cartan::codegen {
namespace {

// Numbers of a Jacobian grow with the square of the size: above this the dual numbers of the
// System itself are as fast, and nothing has to be compiled.
constexpr std::size_t most_states_with_jacobian = 120;

struct LoadedCode {
  RateCode code;
  std::shared_ptr<const CompiledLibrary> library;
  std::string problem;  // why there is none
};

class ModelRateCompiler final : public RateCompiler {
 public:
  ModelRateCompiler(const Model& model, std::vector<double> parameters)
      : model_(model), parameters_(std::move(parameters)) {}

  const RateCode* find_derivative(StateView at, std::string& problem) override {
    return find(derivatives_, at, false, problem);
  }
  const RateCode* find_jacobian(StateView at, std::string& problem) override {
    if (at.x.size() > most_states_with_jacobian) return nullptr;
    return find(jacobians_, at, true, problem);
  }
  std::span<const double> parameters() const override { return parameters_; }
  void set_baumgarte(double rate) override {
    const std::lock_guard lock(mutex_);
    baumgarte_ = rate;
    derivatives_.clear();
    jacobians_.clear();
  }

 private:
  using Cache = std::map<std::vector<int>, LoadedCode>;

  const RateCode* find(Cache& cache, StateView at, bool jacobian, std::string& problem) {
    const std::lock_guard lock(mutex_);
    const std::vector<int> mode(at.mode.begin(), at.mode.end());
    const auto [place, is_new] = cache.try_emplace(mode);
    LoadedCode& loaded = place->second;
    if (is_new) load(at, jacobian, loaded);
    problem = loaded.problem;
    return loaded.problem.empty() ? &loaded.code : nullptr;
  }

  void load(StateView at, bool jacobian, LoadedCode& loaded) const {
    const State state{at.t, {at.x.begin(), at.x.end()}, {at.mode.begin(), at.mode.end()}};
    DeriveOptions options;
    options.follow = false;
    options.baumgarte = baumgarte_;
    Derivation derivation(model_, parameters_, state, options);
    UnitOptions wanted;
    wanted.extras = false;
    wanted.quadrature = true;
    wanted.derivative = !jacobian;
    wanted.jacobian = jacobian;
    CodeUnit unit = make_unit(derivation, wanted, "rates");
    unit.title.clear();
    unit.side_by_side = !jacobian;
    unit.checks = false;  // the same equations give the same text, whatever the numbers are
    if (jacobian) {
      loaded.code.row = unit.functions[0].outputs[0].row;
      loaded.code.column = unit.functions[0].outputs[0].column;
    }
    for (const GeneratedFile& file : emit(unit, Language::c)) {
      if (!file.name.ends_with(".c")) continue;
      CompileOptions compile = compile_options_for(file.text.size());
      if (has_vectors(file.text) || has_parts(file.text))
        compile.gcc_flags.push_back(vector_gcc_flag);
      if (has_parts(file.text)) compile.gcc_flags.push_back(long_gcc_flag);
      compile.sources.assign(model_.function_files.begin(), model_.function_files.end());
      loaded.library = CompiledLibrary::compile(file.text, compile, loaded.problem);
    }
    if (!loaded.library) return;
    using Function = std::remove_pointer_t<RateCode::Function>;
    loaded.code.derivative = loaded.library->function<Function>("rates_derivative");
    loaded.code.jacobian = loaded.library->function<Function>("rates_jacobian");
    if (!(jacobian ? loaded.code.jacobian : loaded.code.derivative))
      loaded.problem = "the compiled code has no function for the rates";
  }

  const Model& model_;
  std::vector<double> parameters_;
  double baumgarte_ = 0;
  std::mutex mutex_;
  Cache derivatives_, jacobians_;
};

}  // namespace

CompileOptions compile_options_for(std::size_t length) {
  constexpr std::size_t long_source = 200000;       // where this is worth a loss of a few per cent
  constexpr std::size_t very_long_source = 600000;  // -O1 takes half the time there
  CompileOptions options;
  if (length > long_source) options.gcc_flags = {"-fno-tree-pta"};
  if (length <= very_long_source) return options;
  options.flags[0] = "-O1";
  options.gcc_flags.insert(options.gcc_flags.end(), {"-fno-dse", "-fno-tree-dse"});
  return options;
}

std::shared_ptr<RateCompiler> make_rate_compiler(const Model& model,
                                                 std::vector<double> parameters) {
  return std::make_shared<ModelRateCompiler>(model, std::move(parameters));
}

}  // namespace cartan::codegen
