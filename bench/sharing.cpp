// Tables 6.1 and 6.2 of source 004 in times: the equations of the n-link pendulum (absolute angles)
// as C,
//   N   every expression written out, compiled without optimisation
//   C   the same text, the sharing left to the compiler (-O2)
//   S   shared expressions computed once, compiled without optimisation
// evaluated for M and f (base) and for M, f and the Jacobian d(f - M u')/d(q, u) (variational).
//
//   bench_sharing [N]    N: most links, 12 unless told; "-" where the compiler takes more than five
//   minutes
//
// What is written out comes in functions of some 20 kB (written_code.h): within each of them, not
// across, the compiler can find what is common.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "derivations/pendulum_chain.h"
#include "reproduction/written_code.h"
#include "symbolic/differentiate.h"
#include "timing.h"

namespace cartan::derivations {
namespace {

using Function = void (*)(const double*, double*);

// Compiles, runs; microseconds per evaluation, or "-". `check` is the sum of what was computed.
std::string measure(const std::string& code, const char* flags, const std::vector<double>& inputs,
                    std::size_t outputs, double& check) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("cartan_sharing_{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "code.c") << code;
  const std::string path = folder.string();
  const int status = std::system(
      fmt::format("ulimit -t 300; cc {0} -shared -fPIC -o {1}/code.so {1}/code.c -lm", flags, path)
          .c_str());
  std::string result = "-";
  if (status == 0) {
    void* const library = dlopen((path + "/code.so").c_str(), RTLD_NOW);
    const auto function =
        library ? reinterpret_cast<Function>(dlsym(library, "equations")) : nullptr;
    if (function) {
      std::vector<double> y(outputs);
      const double best = bench::calc_min_seconds([&] { function(inputs.data(), y.data()); });
      check = 0;
      for (const double value : y) check += value;
      result = fmt::format("{:.1f}", 1e6 * best);
      dlclose(library);
    }
  }
  std::filesystem::remove_all(folder);
  return result;
}

void print_row(int links, bool variational) {
  const auto chain = derive_pendulum_chain(links, Angles::absolute);
  ExpressionGraph& graph = chain->graph;
  std::vector<Expression> values = chain->equations.M, residual = chain->equations.f;
  values.insert(values.end(), residual.begin(), residual.end());
  if (variational) {
    const int size = chain->equations.size();
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < size; ++k)
        residual[i] -=
            chain->equations.M[i * size + k] * chain->kinematics.acceleration(chain->u[k]);
    std::vector<Expression> x = chain->q;
    x.insert(x.end(), chain->u.begin(), chain->u.end());
    const SparseJacobian jacobian = symbolic::jacobian(graph, residual, x);
    values.insert(values.end(), jacobian.entries.begin(), jacobian.entries.end());
  }
  std::vector<double> inputs;
  for (int i = 0; i < graph.symbol_count(); ++i)
    inputs.push_back(0.1 + graph.sample(graph.symbol_node(i)));
  double n_sum = 0, c_sum = 0, s_sum = 0;
  const std::string long_code = reproduction::write_equations(graph, values, true),
                    short_code = reproduction::write_equations(graph, values, false);
  const std::string n = measure(long_code, "-O0", inputs, values.size(), n_sum);
  const std::string c = measure(long_code, "-O2", inputs, values.size(), c_sum);
  const std::string s = measure(short_code, "-O0", inputs, values.size(), s_sum);
  const std::string best = measure(short_code, "-O2", inputs, values.size(), s_sum);
  if (n != "-" && std::abs(n_sum - s_sum) > 1e-9 * (1 + std::abs(n_sum)))
    fmt::print(stderr, "bench_sharing: the codes disagree ({} and {})\n", n_sum, s_sum);
  fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", links, n, c, s, best,
             long_code.size() / 1000, short_code.size() / 1000);
  std::fflush(stdout);
}

void print_table(bool variational, int most) {
  fmt::print(
      "\n**{}** (microseconds)\n\n| n | N | C | S | S with -O2 | N, kB of C | S, kB of C |\n"
      "|---|---|---|---|---|---|---|\n",
      variational ? "M, f and Jacobian" : "M and f");
  for (int n = 4; n <= most; n += 2) print_row(n, variational);
}

}  // namespace
}  // namespace cartan::derivations

int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 12;
  cartan::derivations::print_table(false, most);
  cartan::derivations::print_table(true, most);
}
