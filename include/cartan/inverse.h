// Generalised forces for a prescribed motion: `cartan inverse`.
//
//   const cartan::Model model = cartan::load("model.toml");
//   cartan::run(model, {.duration = 1, .out = "moved", .force = true});
//   const cartan::InverseForces forces = cartan::inverse(model, {.motion =
//   "moved/trajectory.csv"}); std::printf("%zu times, %zu columns\n", forces.table.size(),
//   forces.table.columns.size());
#pragma once

#include <cartan/model.h>
#include <cartan/table.h>

namespace cartan::api {

// Forces to be added to those of the model so that it follows the motion.
struct InverseForces {
  Table table;                       // t, JOINT.f0, ..
  std::vector<std::string> derived;  // what had to be differentiated by splines
  std::vector<std::string> drives;   // of the model: what they would supply is part of the forces
  std::string csv;                   // the table as --out writes it
  std::string json;                  // as `cartan inverse --json` prints it
};

// Reads the motion and computes the forces.
CARTAN_API InverseForces inverse(const Model& model, const InverseOptions& options);

}  // namespace cartan::api
