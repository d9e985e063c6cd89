// Parameters and initial values that are best: `cartan optimise`.
//
//   const cartan::Model model = cartan::load_text(
//       "name = 'decay'\n[parameters]\nk = 1\n[variables]\nx = { initial = 1, rate = '-k*x' }\n");
//   const cartan::Optimum best = cartan::optimise(
//       model, {.free = "k", .minimise = "(final(x) - 0.5)^2", .duration = 1});
//   std::printf("k = %g\n", best.parameters[0].second);
#pragma once

#include <cartan/model.h>

namespace cartan::api {

// A condition of options.subject at the optimum.
struct OptimumConstraint {
  std::string text;
  double value = 0;      // left minus right
  double violation = 0;  // how far it is from being met
  bool active = false;
  double multiplier = 0;
};

// What one of several starts led to.
struct OptimumStart {
  std::vector<NamedNumber> start, parameters;
  double objective = 0;
  bool converged = false;
};

// The best that was found.
struct Optimum {
  std::vector<NamedNumber> parameters;  // what is free, in its order
  double objective = 0;
  bool converged = false;
  std::string problem;  // why not; "" where it has
  int iterations = 0, evaluations = 0;
  std::vector<OptimumConstraint> constraints;
  double stationarity = 0, violation = 0;
  std::vector<std::string> at_bound;
  std::vector<OptimumStart> starts;  // of several
  std::string json;                  // as `cartan optimise --json` prints it
};

// Minimises (or maximises) an expression of a run with exact gradients.
CARTAN_API Optimum optimise(const Model& model, const OptimiseOptions& options);

}  // namespace cartan::api
