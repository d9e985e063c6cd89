// How the start of a mechanism was assembled, as `run`, `check` and `view` tell it.
#pragma once

#include <string>
#include <vector>

#include "mechanics/machine/mechanism_system.h"
#include "results/json_values.h"

namespace cartan::results {

// position_change, velocity_change, changed [{joint, what, written, used}]
Json assembly_json(const Model& model, const AssemblyReport& assembly);

// "coordinates changed by up to .., speeds by up to .."
std::string assembly_line(const AssemblyReport& assembly);
// A line for every written value that was not kept, a few at most.
std::vector<std::string> changed_lines(const Model& model, const AssemblyReport& assembly);

// What a state says about every joint, as the assembly takes it.
WrittenStart written_start(const std::vector<std::optional<std::vector<double>>>& q,
                           const std::vector<std::optional<std::vector<double>>>& v);

}  // namespace cartan::results
