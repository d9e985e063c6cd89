// Periodic orbits: `cartan orbit`.
//
//   const cartan::Model model = cartan::load_text(
//       "name = 'limit cycle'\n[variables]\n"
//       "x = { initial = 1, rate = 'y' }\ny = { initial = 0, rate = '-x + y*(1 - x^2 - y^2)' }\n");
//   const cartan::Orbit orbit = cartan::orbit(model, {.period = "6", .section = "y"});
//   std::printf("period %.12g\n", orbit.period);
#pragma once

#include <complex>

#include <cartan/model.h>

namespace cartan::api {

// An orbit and how it attracts.
struct Orbit {
  State state;  // on it
  double period = 0;
  std::vector<std::complex<double>> multipliers;  // of Floquet, by size, descending
  bool stable = false, attracting = false;
  int neutral = 0;  // multipliers that are one
  std::vector<std::string> held;
  int newton_steps = 0;
  double residual = 0;
  long evaluations = 0;
  double wall_seconds = 0;
  std::string json;  // as `cartan orbit --json` prints it
};

// Finds an orbit near the initial state. An Error of kind `failed` where there is none.
CARTAN_API Orbit orbit(const Model& model, const OrbitOptions& options);

}  // namespace cartan::api
