// A periodic orbit of a model: the work of `orbit`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "analysis/orbit.h"
#include "results/load/analysis_state.h"
#include "results/orbits/orbit_channels.h"

namespace cartan::results {

struct FoundOrbit {
  Analysis analysis;
  Orbit orbit;
  std::vector<std::string> held;
  double seconds = 0;
  std::optional<OrbitResponseReport> response;  // where it was asked for
};

// A search that ends without an orbit is a failure.
FoundOrbit find_model_orbit(const ModelArguments& model, const api::OrbitOptions& options);

Json orbit_json(const FoundOrbit& found);

}  // namespace cartan::results
