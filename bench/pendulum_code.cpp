// The n-link pendulum with shaker (source 004, sec. 5.4) all the way to C: by hand in the vector
// language and from a model file, relative and absolute coordinates, M v' = f and O(n).
//
//   bench_pendulum_code [N ...]         10 30 100 unless told; each row in a process of its own
//   bench_pendulum_code file N KIND     prints the model file (KIND: relative or absolute)
//
// The code is the whole derivative, solving for the accelerations included. Chains of up to 30
// links are compiled by the system's compiler and evaluated.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "codegen/derivation.h"
#include "codegen/emit.h"
#include "codegen/model_unit.h"
#include "codegen/rate_compiler.h"
#include "derivations/pendulum_chain_file.h"
#include "formulations/formulations.h"
#include "io/toml_reader.h"
#include "symbolic/count.h"
#include "timing.h"

namespace cartan::bench {
namespace {

using derivations::Angles;

constexpr int most_compiled_links = 30;

enum class Route { by_hand, by_file_matrix, by_file_recursive };

struct Row {
  int links;
  Angles angles;
  Route route;
};

const char* name(Route route) {
  return route == Route::by_hand          ? "by hand, M and f"
         : route == Route::by_file_matrix ? "file, mass-matrix"
                                          : "file, recursive";
}

double compiler_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

[[noreturn]] void fail(const std::string& problem) {
  fmt::print(stderr, "bench_pendulum_code: {}\n", problem);
  std::exit(1);
}

// What is derived, kept alive as long as its code is made.
struct Made {
  std::unique_ptr<derivations::PendulumChain> chain;
  std::unique_ptr<Model> model;
  std::unique_ptr<Derivation> derivation;
  CodeUnit unit;
  std::vector<int> speeds;  // places of the rates of the angles in the last output
};

CodeArgument argument(const std::string& name, std::vector<Expression> symbols, bool scalar) {
  CodeArgument made;
  made.name = name;
  made.symbols = std::move(symbols);
  made.scalar = scalar;
  return made;
}

void derive_by_hand(const Row& row, Made& made) {
  made.chain = derivations::derive_pendulum_chain(row.links, row.angles);
  derivations::PendulumChain& chain = *made.chain;
  CodeUnit& unit = made.unit;
  unit.name = "pendulum";
  unit.graph = &chain.graph;
  std::vector<Expression> x = chain.q;
  x.insert(x.end(), chain.u.begin(), chain.u.end());
  unit.arguments = {argument("t", {chain.kinematics.time()}, true), argument("x", x, false),
                    argument("p", {chain.graph.symbol("a"), chain.graph.symbol("omega")}, false)};
  CodeMatrix rates;
  rates.name = "qdot";
  rates.rows = 2 * row.links;
  rates.entries = chain.u;
  CodeFunction function{"derivative", "q' = u, M u' = f", {rates}, {}};
  function.solve = LinearSolve{2 * row.links, chain.equations.M, chain.equations.f, true, "udot"};
  unit.functions.push_back(std::move(function));
  for (int k = 0; k < 2 * row.links; ++k) made.speeds.push_back(k);
}

void derive_by_file(const Row& row, Made& made) {
  Diagnostics problems;
  const auto description =
      read_model_text(derivations::pendulum_chain_file(row.links, row.angles), ".", problems);
  std::optional<Model> model = description ? check_model(*description, problems) : std::nullopt;
  if (!model) fail(problems.text());
  made.model = std::make_unique<Model>(std::move(*model));
  const std::vector<double> parameters = parameter_values(*made.model);
  std::string problem;
  const auto system = make_system(*made.model, parameters, "recursive", problem);
  if (!system) fail(problem);
  made.derivation = std::make_unique<Derivation>(*made.model, parameters, system->initial_state());
  UnitOptions options;
  options.extras = false;
  options.form =
      row.route == Route::by_file_recursive ? EquationForm::recursive : EquationForm::mass_matrix;
  made.unit = make_unit(*made.derivation, options, "pendulum");
  const auto& state = made.derivation->state();
  const int first = options.form == EquationForm::recursive ? 0 : made.derivation->nq();
  for (std::size_t k = made.derivation->nq(); k < state.size(); ++k)
    if (state[k].label.rfind("joint", 0) == 0) made.speeds.push_back(static_cast<int>(k) - first);
}

long operations(const CodeUnit& unit) {
  const CodeFunction& function = unit.functions[0];
  std::vector<Expression> all;
  for (const CodeMatrix& output : function.outputs)
    all.insert(all.end(), output.entries.begin(), output.entries.end());
  if (function.solve) {
    all.insert(all.end(), function.solve->matrix.begin(), function.solve->matrix.end());
    all.insert(all.end(), function.solve->rhs.begin(), function.solve->rhs.end());
  }
  return count_shared(*unit.graph, all).total();
}

std::vector<double> samples(const CodeArgument& argument) {
  std::vector<double> values;
  for (const Expression& x : argument.symbols) values.push_back(x.sample());
  return values;
}

// Seconds of the compiler, microseconds of one call, norm of the accelerations of the angles.
std::string run_code(const Made& made, const std::string& code) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("cartan_pendulum_{}", getpid());
  CompileOptions options = compile_options_for(code.size());
  options.cache = folder;
  std::string problem;
  const double before = compiler_seconds();
  const auto library = CompiledLibrary::compile(code, options, problem);
  const double spent = compiler_seconds() - before;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!library) fail(problem);
  const double t = made.unit.arguments[0].symbols[0].sample();
  const std::vector<double> x = samples(made.unit.arguments[1]),
                            p = samples(made.unit.arguments[2]);
  const double time_of_state = made.chain ? 0.7 : t;
  std::vector<double> first(4 * x.size() + 16), second(4 * x.size() + 16);
  double seconds = 0;
  const std::vector<double>* result = &first;
  if (made.unit.functions[0].solve) {
    auto* const function =
        library->function<void(double, const double*, const double*, double*, double*)>(
            "pendulum_derivative");
    seconds = bench::calc_min_seconds(
        [&] { function(time_of_state, x.data(), p.data(), first.data(), second.data()); });
    result = &second;
  } else {
    auto* const function = library->function<void(double, const double*, const double*, double*)>(
        "pendulum_derivative");
    seconds =
        bench::calc_min_seconds([&] { function(time_of_state, x.data(), p.data(), first.data()); });
  }
  double sum = 0;
  for (const int k : made.speeds) sum += (*result)[k] * (*result)[k];
  return fmt::format("{:.1f} | {:.1f} | {:.10g}", spent, 1e6 * seconds, std::sqrt(sum));
}

void print_row(const Row& row) {
  const double start = bench::calc_cpu_seconds();
  Made made;
  if (row.route == Route::by_hand)
    derive_by_hand(row, made);
  else
    derive_by_file(row, made);
  const long count = operations(made.unit);
  const double derived = bench::calc_cpu_seconds();
  std::string code;
  for (GeneratedFile& file : emit(made.unit, Language::c))
    if (file.name.ends_with(".c")) code = std::move(file.text);
  const double emitted = bench::calc_cpu_seconds();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const long lines = std::count(code.begin(), code.end(), '\n');
  fmt::print(
      "| {} | {} | {} | {:.3f} | {:.3f} | {:.0f} | {} | {:.1f} | {:.2f} | {} | {:.0f} | {} |\n",
      row.links, row.angles == Angles::relative ? "relative" : "absolute", name(row.route),
      derived - start, emitted - derived, static_cast<double>(usage.ru_maxrss) / 1024, count,
      static_cast<double>(count) / row.links, static_cast<double>(count) / row.links / row.links,
      lines, static_cast<double>(code.size()) / 1000,
      row.links <= most_compiled_links ? run_code(made, code) : "- | - | -");
  std::fflush(stdout);
}

// In a process of its own: its peak of memory is its own.
void print_row_apart(const Row& row) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) fail("no process for the next row");
  if (child == 0) {
    print_row(row);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::exit(1);
}

}  // namespace
}  // namespace cartan::bench

int main(int argc, char** argv) {
  using namespace cartan::bench;
  if (argc == 4 && std::string(argv[1]) == "file") {
    const int links = std::atoi(argv[2]);
    if (links < 1 || links > 1000) fail("file takes the number of links, 1 to 1000");
    const bool absolute = std::string(argv[3]) == "absolute";
    fmt::print("{}", cartan::derivations::pendulum_chain_file(
                         links, absolute ? Angles::absolute : Angles::relative));
    return 0;
  }
  std::vector<int> sizes;
  for (int k = 1; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
  if (sizes.empty()) sizes = {10, 30, 100};
  fmt::print(
      "| n | angles | way | derivation, s | emission, s | peak of memory, MB | operations | per n "
      "| "
      "per n^2 | lines of C | kB | compiler, s | call, us | norm of u' |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const int links : sizes) {
    if (links < 1 || links > 1000) fail("the number of links is 1 to 1000");
    for (const Angles angles : {Angles::relative, Angles::absolute})
      for (const Route route : {Route::by_hand, Route::by_file_matrix, Route::by_file_recursive})
        print_row_apart({links, angles, route});
  }
}
