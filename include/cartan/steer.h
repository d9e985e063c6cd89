// Inputs that bring a machine from one state to another at least cost: `cartan steer`.
//
//   std::ofstream("cart.toml")
//       << "name = 'cart'\n[inputs]\nu = 0\n[variables]\n"
//          "x = { initial = 0, rate = 'v' }\nv = { initial = 0, rate = 'u' }\n";
//   std::ofstream("task.toml") << "model = 'cart.toml'\nduration = 1\n[inputs]\nu = {}\n"
//                                 "[end]\nx = 1\nv = 0\n[minimise]\nintegral = 'u^2'\n";
//   const cartan::Steered found = cartan::steer("task.toml", {.starts = 1});
//   if (found.converged) std::printf("the cost is %g, as it must: 12\n", found.objective);
#pragma once

#include <cartan/model.h>

namespace cartan::api {

// What one of several guesses led to, on its first mesh.
struct SteeredStart {
  double objective = 0;
  bool converged = false;
  std::string problem;
};

// A motion that costs least among its neighbours; options.out has it as a run.
struct Steered {
  bool converged = false;
  std::string problem;  // why not; "" where it has
  double objective = 0, duration = 0;
  double mesh_error = 0;
  long intervals = 0;
  int iterations = 0;
  std::vector<double> switches;  // times at which an input jumps
  std::vector<SteeredStart> starts;
  std::vector<std::string> files;  // that were written to options.out
  std::string text;                // as `cartan steer` prints it
  std::string json;                // as `cartan steer --json` prints it
};

// `task`: the file that says from where, to where and what counts.
CARTAN_API Steered steer(const std::string& task, const SteerOptions& options = {},
                         const LoadOptions& load = {});

}  // namespace cartan::api
