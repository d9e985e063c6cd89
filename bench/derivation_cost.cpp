// What the derivation of the n-link pendulum costs, and the equations it leaves: figures 5.4
// and 5.5 and tables 6.1 and 6.2 of source 004, in operations, and the derivation of long chains.
//
//   bench_derivation_cost            all tables, as Markdown
//   bench_derivation_cost long N     one long chain, both kinds of angles: time, memory, operations
//   bench_derivation_cost bicycle    the bicycle's equations and its linearisation at all speeds
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "derivations/bicycle.h"
#include "derivations/pendulum_chain.h"
#include "symbolic/count.h"
#include "symbolic/differentiate.h"
#include "timing.h"

namespace cartan::derivations {
namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// 1234 or 1.2e15; "-" beyond counting.
std::string number(long x) {
  if (x == std::numeric_limits<long>::max()) return "> 9e18";
  return x < 10'000'000 ? std::to_string(x) : fmt::format("{:.1e}", static_cast<double>(x));
}

const char* name(Angles angles) {
  return angles == Angles::absolute ? "absolute" : "relative";
}

// ------------------------------------------------------------------------ evaluated against
// delayed

struct Cost {
  int nodes = 0;  // made on the way
  long written_out = 0, shared = 0;
  double ms = 0;
};

// The document's way: vectors, tangent vectors, rates of momenta, projection.
Cost document_cost(int links, Angles angles, Components components) {
  const double start = bench::calc_cpu_seconds();
  const auto chain = describe_pendulum_chain(links, angles, components);
  const std::vector<Expression> equations = derive_as_document(*chain, components);
  const double end = bench::calc_cpu_seconds();
  return {chain->graph.size(), count_unshared(chain->graph, equations).total(),
          count_shared(chain->graph, equations).total(), 1e3 * (end - start)};
}

Cost direct_cost(int links, Angles angles) {
  const double start = bench::calc_cpu_seconds();
  const auto chain = derive_pendulum_chain(links, angles);
  const double end = bench::calc_cpu_seconds();
  std::vector<Expression> all = chain->equations.M;
  all.insert(all.end(), chain->equations.f.begin(), chain->equations.f.end());
  return {chain->graph.size(), count_unshared(chain->graph, all).total(),
          count_shared(chain->graph, all).total(), 1e3 * (end - start)};
}

void print_derivation(Angles angles, int most) {
  fmt::print("\n**Derivation, {} angles**\n\n", name(angles));
  fmt::print(
      "| n | evaluated: nodes | written out | shared | ms | delayed: nodes | written out | shared "
      "| ms | `KaneSystem`: nodes | "
      "shared | ms |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int n = 1; n <= most; ++n) {
    const Cost a = document_cost(n, angles, Components::evaluated);
    const Cost b = document_cost(n, angles, Components::delayed);
    const Cost c = direct_cost(n, angles);
    fmt::print("| {} | {} | {} | {} | {:.1f} | {} | {} | {} | {:.1f} | {} | {} | {:.1f} |\n", n,
               a.nodes, number(a.written_out), a.shared, a.ms, b.nodes, number(b.written_out),
               b.shared, b.ms, c.nodes, c.shared, c.ms);
  }
}

// ------------------------------------------------------------------------- base and variational
// system

// The variational system M P_u' = (d(f - M u')/dx) P, P_q' = P_u, with x = (q, u) and P square;
// solving for u' and P_u' is not counted, in the document neither.
void print_systems(Angles angles) {
  fmt::print("\n**Operations of the equations, {} angles**\n\n", name(angles));
  fmt::print(
      "| n | variables | base N | base S | variables | variational N | variational S | entries of "
      "the Jacobian |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (int n = 4; n <= 12; n += 2) {
    const auto chain = derive_pendulum_chain(n, angles);
    ExpressionGraph& graph = chain->graph;
    std::vector<Expression> all = chain->equations.M, residual = chain->equations.f;
    all.insert(all.end(), residual.begin(), residual.end());
    const int size = 2 * n;
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < size; ++k)
        residual[i] -=
            chain->equations.M[i * size + k] * chain->kinematics.acceleration(chain->u[k]);
    std::vector<Expression> x = chain->q;
    x.insert(x.end(), chain->u.begin(), chain->u.end());
    const SparseJacobian jacobian = symbolic::jacobian(graph, residual, x);
    const long entries = static_cast<long>(jacobian.entries.size());
    const long product = (2 * entries - size) * 2 * size;  // the Jacobian times P
    std::vector<Expression> both = all;
    both.insert(both.end(), jacobian.entries.begin(), jacobian.entries.end());
    const long written = count_unshared(graph, both).total();
    fmt::print(
        "| {} | {} | {} | {} | {} | {} | {} | {} |\n", n, 2 * size,
        number(count_unshared(graph, all).total()), number(count_shared(graph, all).total()),
        2 * size + 4 * size * size,
        number(written > std::numeric_limits<long>::max() - product ? written : written + product),
        number(count_shared(graph, both).total() + product), entries);
  }
}

void print_long(int links, Angles angles) {
  const double start = bench::calc_cpu_seconds();
  const auto chain = derive_pendulum_chain(links, angles);
  const double time = bench::calc_cpu_seconds() - start;
  std::vector<Expression> all = chain->equations.M;
  all.insert(all.end(), chain->equations.f.begin(), chain->equations.f.end());
  const long total = count_shared(chain->graph, all).total();
  fmt::print("| {} | {} | {:.2f} | {:.0f} | {} | {} | {:.1f} |\n", links, name(angles), time,
             peak_megabytes(), count_shared(chain->graph, chain->equations.f).total(), total,
             static_cast<double>(total) / (links * links));
}

void print_long_header() {
  fmt::print(
      "\n| n | angles | derivation, s | peak of memory, MB | operations of f | of M and f | per "
      "n^2 |\n"
      "|---|---|---|---|---|---|---|\n");
}

// From geometry to x' = A(v) x with v and all parameters as symbols; the smallest of a few times.
void print_bicycle() {
  double derivation = 1e300, linearisation = 1e300;
  long equations = 0, entries = 0;
  for (int k = 0; k < 5; ++k) {
    const double start = bench::calc_cpu_seconds();
    const auto bicycle = derive_bicycle();
    const double derived = bench::calc_cpu_seconds();
    const BicycleLinearisation linear = linearise(*bicycle);
    const double end = bench::calc_cpu_seconds();
    derivation = std::min(derivation, derived - start);
    linearisation = std::min(linearisation, end - derived);
    std::vector<Expression> all = bicycle->equations.M;
    all.insert(all.end(), bicycle->equations.f.begin(), bicycle->equations.f.end());
    equations = count_shared(bicycle->graph, all).total();
    entries = count_shared(bicycle->graph, linear.A).total();
  }
  fmt::print(
      "\n**Bicycle** by hand: equations of motion {:.1f} ms ({} operations), linearisation at all "
      "speeds {:.1f} ms more (A(v): {} operations)\n",
      1e3 * derivation, equations, 1e3 * linearisation, entries);
}

}  // namespace
}  // namespace cartan::derivations

int main(int argc, char** argv) {
  using namespace cartan::derivations;
  if (argc == 3 && std::string(argv[1]) == "long") {
    const int links = std::atoi(argv[2]);
    if (links < 1 || links > 1000) {
      fmt::print(stderr, "bench_derivation_cost: long takes the number of links, 1 to 1000\n");
      return 2;
    }
    print_long_header();
    for (const Angles angles : {Angles::absolute, Angles::relative}) print_long(links, angles);
    return 0;
  }
  if (argc == 2 && std::string(argv[1]) == "bicycle") {
    print_bicycle();
    return 0;
  }
  print_derivation(Angles::absolute, 12);
  print_derivation(Angles::relative, 8);
  print_systems(Angles::absolute);
  print_systems(Angles::relative);
  fmt::print("\n**Long chains**\n");
  print_long_header();
  for (const int links : {10, 30, 60, 100})
    for (const Angles angles : {Angles::absolute, Angles::relative}) print_long(links, angles);
  print_bicycle();
}
