// What `linearize` says about inputs and outputs: state-space matrices, controllability and
// observability, zeros, frequency response, the linear-quadratic regulator.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cartan/options.h>

#include "results/json_values.h"
#include "results/steady/steady.h"

namespace cartan::results {

// Whether any of it was asked for.
bool wants_control(const api::LinearizeOptions& options);

struct ControlReport {
  Json json;         // members to be added
  std::string text;  // for the terminal
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> notes;  // to be told
};

// Refused where an input, an output or a weight cannot be read.
ControlReport report_control(const SteadyCase& steady, const Linearisation& linear,
                             const api::LinearizeOptions& options);

}  // namespace cartan::results
