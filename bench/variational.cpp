// A step of `variational` for chains of rods on ball joints: solutions of the equations of the
// mechanism and CPU time a step, from 64 to 1024 links; joints as coordinates and as constraints.
#include <cstdio>

#include "formulations/formulations.h"
#include "integrate/simulate.h"
#include "rods.h"
#include "timing.h"

namespace cartan::bench {
namespace {

void print_row(const char* formulation, int links) {
  const std::unique_ptr<Model> model = make_model(describe(RodChain{links}));
  const auto system = find_formulation(formulation)->make(*model, parameter_values(*model));
  constexpr int steps = 20;
  constexpr double h = 0.002;  // tension makes the upper links stiff: h w < 2
  SimulateOptions options = {.integrator = "variational", .duration = steps * h, .step = h};
  options.tolerance = 1e-9;
  options.project = false;
  const double begin = calc_cpu_seconds();
  const SimulateReport report = simulate(*system, system->initial_state(), options, Observer{});
  const double seconds = (calc_cpu_seconds() - begin) / steps;
  std::printf("%-14s %6d %10.1f %12.1f %12.3f %s\n", formulation, links,
              static_cast<double>(report.counts.evaluations) / steps, 1e6 * seconds,
              1e6 * seconds / links, report.message.c_str());
  std::fflush(stdout);
}

void print() {
  std::printf("%-14s %6s %10s %12s %12s\n", "formulation", "links", "solutions", "us a step",
              "us per link");
  for (const char* formulation : {"recursive", "absolute-se3"})
    for (int links : {64, 256, 1024}) print_row(formulation, links);
}

}  // namespace
}  // namespace cartan::bench

int main() {
  cartan::bench::print();
}
