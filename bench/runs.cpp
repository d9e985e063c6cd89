// Whole runs of 10 s: work against precision on the four problems of the reference figures, the
// growth of the cost with the number of links (source 000, table 3.3), and the formulations' cost.
// One JSON object per line.
#include <cmath>

#include "formulations/formulations.h"
#include "integrate/simulate.h"
#include "rods.h"
#include "timing.h"

namespace cartan::bench {
namespace {

struct Problem {
  const char* name;
  RodChain chain;
};

const Problem problems[] = {
    {"4 links 0.1 rad", {4, 0.1, {0, 0, 0}}},
    {"16 links 0.1 rad", {16, 0.1, {0, 0, 0}}},
    {"4 links 1.5 rad", {4, 1.5, {0, 0, 0}}},
    {"4 links 3d", {4, 0.5, {0, 0.5, 3}}},
};

struct Method {
  const char* integrator;
  double step, tolerance;
};

std::unique_ptr<MechanicalSystem> make(const Model& model, const char* formulation) {
  return find_formulation(formulation)->make(model, parameter_values(model));
}

SimulateReport run(const System& system, const Method& method, double duration = 10) {
  SimulateOptions options;
  options.integrator = method.integrator;
  options.duration = duration;
  options.step = method.step;
  options.tolerance = method.tolerance;
  options.every = 1 << 30;  // the end alone
  return simulate(system, system.initial_state(), options, Observer{});
}

Quat<double> last_orientation(const MechanicalSystem& system, const State& state) {
  Observation observation;
  auto workspace = system.make_workspace();
  system.observe(state, observation, *workspace);
  return observation.bodies.back().orientation;
}

double angle_between(const Quat<double>& a, const Quat<double>& b) {
  return norm(log(conjugate(a) * b));
}

void write_precision_rows() {
  const Method methods[] = {
      {"rk4", 0.01, 0},      {"rk4", 0.001, 0},     {"rk45", 10, 1e-6},    {"rk45", 10, 1e-10},
      {"dop853", 10, 1e-6},  {"dop853", 10, 1e-8},  {"dop853", 10, 1e-10}, {"dop853", 10, 1e-12},
      {"dop853", 10, 1e-13}, {"dop853", 10, 1e-14}, {"gl2", 0.01, 1e-9},   {"gl3", 0.01, 1e-15},
      {"gl5", 0.02, 1e-15},  {"gl6", 0.02, 1e-15},
  };
  for (const Problem& problem : problems) {
    const auto model = make_model(describe(problem.chain));
    const auto system = make(*model, "recursive");
    const Quat<double> truth =
        last_orientation(*system, run(*system, {"gl6", 0.005, 1e-16}).final_state);
    for (const Method& method : methods) {
      const SimulateReport report = run(*system, method);
      if (!report.ok()) continue;
      const double error = angle_between(last_orientation(*system, report.final_state), truth);
      const double seconds =
          calc_min_seconds([&] { run(*system, method); }, {.total_seconds = 0.3});
      std::printf(R"({"table": "precision", "problem": "%s", "method": "%s", "step": %g, )"
                  R"("tolerance": %g, "seconds": %.4g, "error": %.3g, "evaluations": %ld})"
                  "\n",
                  problem.name, method.integrator, method.step, method.tolerance, seconds, error,
                  report.counts.evaluations);
    }
  }
}

void write_growth_rows() {
  for (int n : {4, 8, 16, 32, 48, 64}) {
    const auto model = make_model(describe(RodChain{n, 0.1, {0, 0, 0}}));
    const auto system = make(*model, "recursive");
    const Method method{"gl3", 0.01, 1e-15};
    const SimulateReport report = run(*system, method);
    const double seconds = calc_min_seconds([&] { run(*system, method); }, {.min_batches = 3});
    std::printf(R"({"table": "growth", "links": %d, "seconds": %.4g, "evaluations": %ld})"
                "\n",
                n, seconds, report.counts.evaluations);
  }
}

void write_formulation_rows() {
  for (const FormulationInfo& row : formulation_table())
    for (int n : {4, 8, 16, 32, 64, 256, 1024}) {
      if (std::string(row.name) != "recursive" && n > 64) continue;
      const auto model = make_model(describe(RodChain{n, 0.1, {0, 0, 0}}));
      const auto system = make(*model, row.name);
      const State state = system->initial_state();
      auto workspace = system->make_workspace();
      std::vector<double> xdot(state.x.size());
      const double seconds = calc_min_seconds([&] { system->derivative(state, xdot, *workspace); });
      std::printf(R"({"table": "formulation", "formulation": "%s", "links": %d, "us": %.4g})"
                  "\n",
                  row.name, n, 1e6 * seconds);
    }
}

}  // namespace
}  // namespace cartan::bench

int main() {
  cartan::bench::write_formulation_rows();
  cartan::bench::write_growth_rows();
  cartan::bench::write_precision_rows();
}
