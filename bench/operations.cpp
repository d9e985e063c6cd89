// Operations of the equations of all examples and of the n-link pendulum, shared expressions
// counted once: the figure by which rules of the expression graph are judged.
//
//   bench_operations EXAMPLES    folder of model files; one line per machine and a sum, as Markdown
#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "codegen/derivation.h"
#include "derivations/bicycle.h"
#include "derivations/coupled_pendulums.h"
#include "derivations/pendulum_chain.h"
#include "derivations/swinging_legs.h"
#include "formulations/formulations.h"
#include "io/toml_reader.h"
#include "symbolic/count.h"
#include "symbolic/differentiate.h"

namespace cartan::bench {
namespace {

constexpr std::size_t most_states_with_jacobian = 120;

struct Counts {
  long rates = 0, implicit = 0, jacobian = 0;  // implicit: M and f
  int nodes = 0;                               // of the graph, all in all
};

void print(const std::string& name, const Counts& c, Counts& sum) {
  fmt::print("| {} | {} | {} | {} | {} |\n", name, c.rates, c.implicit, c.jacobian, c.nodes);
  sum.rates += c.rates;
  sum.implicit += c.implicit;
  sum.jacobian += c.jacobian;
  sum.nodes += c.nodes;
}

std::vector<Expression> joined(std::vector<Expression> a, const std::vector<Expression>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool count_example(const std::filesystem::path& file, Counts& counts) {
  Diagnostics problems(file.string());
  const auto description = read_model_file(file.string(), problems);
  const std::optional<Model> model =
      description ? check_model(*description, problems) : std::nullopt;
  std::string problem = problems.text();
  const std::vector<double> parameters = model ? parameter_values(*model) : std::vector<double>();
  const auto system = model ? make_system(*model, parameters, "recursive", problem) : nullptr;
  if (!system) {
    fmt::print(stderr, "bench_operations: {}\n", problem);
    return false;
  }
  const State start = system->initial_state();
  Derivation derivation(*model, parameters, start);
  ExpressionGraph& graph = derivation.graph();
  const std::vector<Expression> rates = derivation.rates();
  counts.rates = count_shared(graph, rates).total();
  if (model->is_mechanism() && Derivation::refuse_mass_matrix(*model).empty()) {
    const MassMatrixForm form = derivation.mass_matrix_form();
    counts.implicit =
        count_shared(graph, joined(joined(form.M, form.f), joined(form.J, form.gamma))).total();
  }
  if (start.x.size() <= most_states_with_jacobian) {
    std::vector<Expression> x;
    for (const DerivedSymbol& s : derivation.state()) x.push_back(s.symbol);
    counts.jacobian = count_shared(graph, jacobian(graph, rates, x).entries).total();
  }
  counts.nodes = graph.size();
  return true;
}

Counts count_chain(int links, derivations::Angles angles) {
  const auto chain = derivations::derive_pendulum_chain(links, angles);
  std::vector<Expression> residual = chain->equations.f;
  const int size = chain->equations.size();
  Counts counts;
  counts.implicit = count_shared(chain->graph, joined(chain->equations.M, residual)).total();
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < size; ++k)
      residual[i] -= chain->equations.M[i * size + k] * chain->kinematics.acceleration(chain->u[k]);
  counts.jacobian =
      count_shared(chain->graph,
                   jacobian(chain->graph, residual, joined(chain->q, chain->u)).entries)
          .total();
  counts.nodes = chain->graph.size();
  return counts;
}

template <class Made>
Counts count_derivation(const Made& made) {
  Counts counts;
  counts.implicit = count_shared(made->graph, joined(made->equations.M, made->equations.f)).total();
  counts.nodes = made->graph.size();
  return counts;
}

}  // namespace
}  // namespace cartan::bench

int main(int argc, char** argv) {
  using namespace cartan::bench;
  namespace derivations = cartan::derivations;
  using derivations::Angles;
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_operations EXAMPLES\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  fmt::print("| machine | v' | M and f | Jacobian | nodes |\n|---|---|---|---|---|\n");
  Counts sum;
  for (const auto& file : files) {
    Counts counts;
    if (!count_example(file, counts)) return 1;
    print(file.stem().string(), counts, sum);
  }
  for (const int n : {2, 4, 8, 16, 30}) {
    print(fmt::format("pendulum {}, absolute", n), count_chain(n, Angles::absolute), sum);
    print(fmt::format("pendulum {}, relative", n), count_chain(n, Angles::relative), sum);
  }
  print("bicycle by hand", count_derivation(derivations::derive_bicycle()), sum);
  print("swinging legs by hand", count_derivation(derivations::derive_swinging_legs()), sum);
  print("coupled pendulums by hand", count_derivation(derivations::derive_coupled_pendulums(true)),
        sum);
  Counts nothing;
  print("sum", Counts(sum), nothing);
}
