// How a model is simulated: what the user asks for, else what the file says, else defaults, which
// are remembered so that the summary can tell.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "integrate/simulate.h"
#include "model/model.h"

namespace cartan::results {

struct RunArguments {
  std::string formulation, integrator;
  std::optional<double> step, duration, tolerance, spectral_radius;
  std::optional<int> every;
  std::string norm = {}, iteration = {};
};

struct RunSettings {
  std::string formulation;
  SimulateOptions simulate;
  std::string stabilisation = "projection";  // how constraints are kept
  std::string row_axes = "joint";            // of absolute-*: joint or world
  std::set<std::string> defaulted;           // names of settings nobody chose: "step", ...
};

RunSettings choose_settings(const RunArguments& asked, const Model& model);

// Refuses an integrator that does not exist.
void check_integrator(const std::string& name);

}  // namespace cartan::results
