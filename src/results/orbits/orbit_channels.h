// What `orbit` says about small inputs that oscillate: the response of the orbit by harmonics.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <cartan/options.h>

#include "analysis/orbit.h"
#include "results/load/analysis_state.h"
#include "results/steady/control_channels.h"

namespace cartan::results {

struct OrbitResponseReport {
  Json json;  // frequency
  std::string text;
  std::vector<std::pair<std::string, std::string>> files;
};

// What was asked for; refused before the search where it cannot be read, or does not go together.
ControlChannels read_orbit_channels(const Analysis& a, const api::OrbitOptions& options);

OrbitResponseReport report_orbit_response(const Analysis& a, const Orbit& orbit,
                                          const ControlChannels& channels,
                                          const api::OrbitOptions& options);

}  // namespace cartan::results
