// Lyapunov exponents: `cartan lyapunov`.
//
//   const cartan::Model model = cartan::load_text(
//       "name = 'decay'\n[variables]\nx = { initial = 1, rate = '-2*x' }\n");
//   const cartan::LyapunovExponents result = cartan::lyapunov(model, {.duration = 5});
//   std::printf("%.6f\n", result.exponents[0]);  // -2
#pragma once

#include <cartan/model.h>

namespace cartan::api {

// How fast small displacements grow along a motion, on average.
struct LyapunovExponents {
  std::vector<double> exponents;  // descending
  std::vector<double> errors;     // standard errors, beside them
  double duration = 0;
  long decompositions = 0, evaluations = 0, crossings = 0;
  State final;
  double wall_seconds = 0;
  std::string json;  // as `cartan lyapunov --json` prints it
};

// Follows the motion from the initial state with all its displacements.
CARTAN_API LyapunovExponents lyapunov(const Model& model, const LyapunovOptions& options = {});

}  // namespace cartan::api
