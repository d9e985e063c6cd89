// The cost of implicit steps for stiff chains: rods on spherical joints with stiff springs and
// dampers in all of them, a fixed number of steps. One line of JSON per method and length; what
// counts is how the time grows. With METHOD LINKS that one alone.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "formulations/formulations.h"
#include "integrate/simulate.h"
#include "rods.h"
#include "timing.h"

namespace cartan::bench {
namespace {

std::unique_ptr<Model> make_stiff_chain(int links) {
  ModelDescription d = describe(RodChain{links, 0.1, {0, 0, 0}});
  for (int i = 0; i < links; ++i) {
    ForceText spring;
    spring.name = "spring" + std::to_string(i);
    spring.type = "torsion";
    spring.joint.name = "j" + std::to_string(i);
    spring.stiffness = {"2e6", "2e6", "2e6"};
    spring.damping = {"2e4", "2e4", "2e4"};
    d.forces.push_back(spring);
  }
  return make_model(d);
}

void measure(const char* method, int links) {
  constexpr int steps = 20;
  const auto model = make_stiff_chain(links);
  const auto system = find_formulation("recursive")->make(*model, parameter_values(*model));
  SimulateOptions options;
  options.integrator = method;
  options.step = 0.01;
  options.duration = steps * options.step;
  options.every = 1 << 30;
  SimulateReport report;
  const double seconds = calc_min_seconds(
      [&] { report = simulate(*system, system->initial_state(), options, Observer{}); },
      {.total_seconds = 0.5, .min_batches = 3});
  if (!report.ok()) std::fprintf(stderr, "%s\n", report.message.c_str());
  std::printf(R"({"table": "stiff", "method": "%s", "links": %d, "ms_per_step": %.4g, )"
              R"("evaluations": %ld, "factorisations": %ld, "ok": %d})"
              "\n",
              method, links, 1e3 * seconds / steps, static_cast<long>(report.counts.evaluations),
              static_cast<long>(report.counts.factorisations), report.ok() ? 1 : 0);
  std::fflush(stdout);
}

}  // namespace
}  // namespace cartan::bench

int main(int argc, char** argv) {
  for (const std::string method : {"gl3", "generalized-alpha"})
    for (const int links : {16, 64, 256}) {
      if (argc == 3 && (method != argv[1] || links != std::atoi(argv[2]))) continue;
      cartan::bench::measure(method.c_str(), links);
    }
}
